import sys

NOTSET = 0
DEBUG = 10
INFO = 20
WARNING = WARN = 30
ERROR = 40
CRITICAL = FATAL = 50

_NAMES = {0: "NOTSET", 10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}


class _Manager:
    def __init__(self):
        self.disable = NOTSET


_manager = _Manager()


def _level(level):
    if isinstance(level, str):
        for number, name in _NAMES.items():
            if name == level or (level == "WARN" and number == 30):
                return number
        raise ValueError(f"Unknown level: {level!r}")
    return level


def getLevelName(level):
    if isinstance(level, str):
        return _level(level)
    return _NAMES.get(level, f"Level {level}")


def addLevelName(level, levelName):
    _NAMES[level] = levelName


def disable(level=CRITICAL):
    _manager.disable = _level(level)


class LogRecord:
    def __init__(self, name, levelno, msg, args, exc_info=None):
        self.name = name
        self.levelno = levelno
        self.levelname = getLevelName(levelno)
        self.msg = msg
        self.args = args
        self.exc_info = exc_info
        self.filename = self.module = self.pathname = "script"
        self.funcName = ""
        self.lineno = 0

    def getMessage(self):
        if len(self.args) == 1 and isinstance(self.args[0], dict):
            return str(self.msg) % self.args[0]
        return str(self.msg) % self.args if self.args else str(self.msg)


class Formatter:
    def __init__(self, fmt=None, datefmt=None, style="%"):
        self._fmt = fmt or "%(message)s"
        self._style = style

    def format(self, record):
        record.message = record.getMessage()
        known = {
            "name": record.name, "levelname": record.levelname, "levelno": record.levelno,
            "message": record.message, "asctime": "1970-01-01 00:00:00,000", "process": 1,
            "created": 0.0, "msecs": 0.0, "relativeCreated": 0.0, "thread": 1,
            "threadName": "MainThread", "processName": "MainProcess", "filename": "script",
            "module": "script", "pathname": "script", "funcName": "", "lineno": 0}
        if self._style == "{":
            return self._fmt.format(**known)
        return self._fmt % known


class Filter:
    def __init__(self, name=""):
        self.name = name

    def filter(self, record):
        return not self.name or record.name == self.name or record.name.startswith(self.name + ".")


class Filterer:
    def addFilter(self, filter):
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter):
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record):
        return all(one.filter(record) if hasattr(one, "filter") else one(record)
                   for one in self.filters)


class Handler(Filterer):
    def __init__(self, level=NOTSET):
        self.level = _level(level)
        self.formatter = Formatter()
        self.filters = []

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, fmt):
        self.formatter = fmt

    def format(self, record):
        return self.formatter.format(record)

    def handle(self, record):
        if record.levelno >= self.level and self.filter(record):
            self.emit(record)

    def emit(self, record):
        return None

    def flush(self):
        return None

    def close(self):
        return None


class NullHandler(Handler):
    pass


class StreamHandler(Handler):
    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream

    def emit(self, record):
        print(self.format(record), file=self.stream or sys.stderr)


class Logger(Filterer):
    manager = _manager

    def __init__(self, name, level=NOTSET):
        self.filters = []
        self.name = name
        self.level = _level(level)
        self.parent = None
        self.propagate = True
        self.handlers = []
        self.disabled = False

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        return self.level or (self.parent.getEffectiveLevel() if self.parent else WARNING)

    def isEnabledFor(self, level):
        return not self.disabled and level > _manager.disable and level >= self.getEffectiveLevel()

    def addHandler(self, hdlr):
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr):
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self):
        return bool(self.handlers) or bool(self.parent and self.propagate and self.parent.hasHandlers())

    def getChild(self, suffix):
        return getLogger(suffix if self.name == "root" else f"{self.name}.{suffix}")

    def log(self, level, msg, *args, exc_info=None, stack_info=False, stacklevel=1, extra=None):
        if not self.isEnabledFor(level):
            return
        record = LogRecord(self.name, level, msg, args, exc_info)
        for key, value in (extra or {}).items():
            setattr(record, key, value)
        if not self.filter(record):
            return
        at = self
        found = False
        while at:
            for handler in at.handlers:
                found = True
                handler.handle(record)
            at = at.parent if at.propagate else None
        if not found and level >= WARNING:
            print(record.getMessage(), file=sys.stderr)

    def debug(self, msg, *args, **named):
        self.log(DEBUG, msg, *args, **named)

    def info(self, msg, *args, **named):
        self.log(INFO, msg, *args, **named)

    def warning(self, msg, *args, **named):
        self.log(WARNING, msg, *args, **named)

    warn = warning

    def error(self, msg, *args, **named):
        self.log(ERROR, msg, *args, **named)

    def exception(self, msg, *args, **named):
        self.log(ERROR, msg, *args, **{"exc_info": True, **named})

    def critical(self, msg, *args, **named):
        self.log(CRITICAL, msg, *args, **named)

    fatal = critical

    def __repr__(self):
        return f"<Logger {self.name} ({getLevelName(self.getEffectiveLevel())})>"


root = Logger("root", WARNING)
_loggers = {}


def getLogger(name=None):
    if not name or name == "root":
        return root
    if name not in _loggers:
        logger = Logger(name)
        _loggers[name] = logger
        logger.parent = getLogger(name.rpartition(".")[0])
    return _loggers[name]


def basicConfig(*, level=None, format=None, datefmt=None, style="%", handlers=None, stream=None,
                force=False, filename=None, filemode="a", encoding=None, errors=None):
    if filename is not None:
        raise ValueError("scripts have no files: leave filename= out, the log is in the report")
    if force:
        root.handlers.clear()
    if not root.handlers:
        for handler in handlers or [StreamHandler(stream)]:
            handler.setFormatter(Formatter(
                format or "%(levelname)s:%(name)s:%(message)s", datefmt, style))
            root.addHandler(handler)
    if level is not None:
        root.setLevel(level)


def _at_root(level, msg, args, named):
    if not root.handlers:
        basicConfig()
    root.log(level, msg, *args, **named)


def log(level, msg, *args, **named):
    _at_root(level, msg, args, named)


def debug(msg, *args, **named):
    _at_root(DEBUG, msg, args, named)


def info(msg, *args, **named):
    _at_root(INFO, msg, args, named)


def warning(msg, *args, **named):
    _at_root(WARNING, msg, args, named)


def error(msg, *args, **named):
    _at_root(ERROR, msg, args, named)


def exception(msg, *args, **named):
    _at_root(ERROR, msg, args, named)


def critical(msg, *args, **named):
    _at_root(CRITICAL, msg, args, named)


def captureWarnings(capture):
    return None


def shutdown():
    return None
