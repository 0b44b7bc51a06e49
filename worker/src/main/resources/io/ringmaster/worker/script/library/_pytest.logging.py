import contextlib
import logging


class LogCaptureHandler(logging.StreamHandler):
    def __init__(self):
        super().__init__()
        self.setFormatter(logging.Formatter(
            "%(levelname)-8s %(name)s:%(filename)s:%(lineno)d %(message)s"))
        self.records = []
        self.lines = []

    def emit(self, record):
        self.records.append(record)
        self.lines.append(self.format(record))


class LogCaptureFixture:
    def __init__(self):
        self.handler = LogCaptureHandler()
        self._levels = {}
        self._disabled = logging.root.manager.disable
        logging.root.addHandler(self.handler)

    def _finalize(self):
        for logger, level in self._levels.items():
            logger.setLevel(level)
        logging.disable(self._disabled)
        logging.root.removeHandler(self.handler)

    @property
    def text(self):
        return "".join(line + "\n" for line in self.handler.lines)

    @property
    def records(self):
        return self.handler.records

    @property
    def record_tuples(self):
        return [(one.name, one.levelno, one.getMessage()) for one in self.handler.records]

    @property
    def messages(self):
        return [one.getMessage() for one in self.handler.records]

    def get_records(self, when):
        if when not in ("setup", "call", "teardown"):
            raise KeyError(when)
        return self.handler.records if when == "call" else []

    def clear(self):
        self.handler.records.clear()
        self.handler.lines.clear()

    def set_level(self, level, logger=None):
        named = logging.getLogger(logger)
        self._levels.setdefault(named, named.level)
        named.setLevel(level)
        self.handler.setLevel(level)
        self._enable(named)

    def _enable(self, named):
        if logging.root.manager.disable >= named.level:
            logging.disable(logging.NOTSET)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        named = logging.getLogger(logger)
        before = (named.level, self.handler.level, logging.root.manager.disable)
        named.setLevel(level)
        self.handler.setLevel(level)
        self._enable(named)
        try:
            yield
        finally:
            named.setLevel(before[0])
            self.handler.setLevel(before[1])
            logging.disable(before[2])

    @contextlib.contextmanager
    def filtering(self, filter_):
        self.handler.addFilter(filter_)
        try:
            yield
        finally:
            self.handler.removeFilter(filter_)
