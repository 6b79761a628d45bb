"""Moving in the timeline: the view, the selection and the lanes."""
