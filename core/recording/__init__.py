"""The Arrow stream that is wire and recording: schema, writing, reading, index, other formats."""
