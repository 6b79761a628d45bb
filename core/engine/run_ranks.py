from core.engine.prepare import Prepared
from core.engine.stop import Stop
from core.trace.writer import TraceWriter
def run_on_ranks(prepared: Prepared, writer: TraceWriter, stop: Stop) -> None:
    raise RuntimeError
