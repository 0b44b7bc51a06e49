_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _escaped(c, ascii):
    if c in _ESCAPES:
        return _ESCAPES[c]
    code = ord(c)
    if 31 < code < 127 or (code > 126 and not ascii):
        return c
    if code < 65536:
        return f"\\u{code:04x}"
    code -= 65536
    return f"\\u{55296 + code // 1024:04x}\\u{56320 + code % 1024:04x}"


def _text(value, ascii):
    return '"' + "".join([_escaped(c, ascii) for c in value]) + '"'


def _number(value):
    if isinstance(value, int):
        return repr(int(value))
    if value != value:
        return "NaN"
    if value in (float("inf"), -float("inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def _key(value, ascii):
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)) or value is None:
        return _plain(value, ascii)
    raise TypeError("keys must be str, int, float, bool or None, not " + type(value).__name__)


def _plain(value, ascii):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return _text(value, ascii)
    return None


class _Form:
    def __init__(self, indent, separators, default, sort, ascii):
        self.indent = " " * indent if isinstance(indent, int) else indent
        self.between, self.colon = separators or (", " if indent is None else ",", ": ")
        self.default = default
        self.sort = sort
        self.ascii = ascii

    def write(self, value, within, level):
        plain = _plain(value, self.ascii)
        if plain is not None:
            return plain
        if any([value is one for one in within]):
            raise ValueError("Circular reference detected")
        inside = within + [value]
        if isinstance(value, dict):
            keys = sorted(value.keys()) if self.sort else list(value.keys())
            return self.joined("{", "}", level, [
                _text(_key(key, self.ascii), self.ascii) + self.colon
                + self.write(value[key], inside, level + 1) for key in keys])
        if isinstance(value, (list, tuple)):
            return self.joined("[", "]", level, [
                self.write(one, inside, level + 1) for one in value])
        if self.default is not None:
            return self.write(self.default(value), inside, level)
        raise TypeError("Object of type " + type(value).__name__ + " is not JSON serializable")

    def joined(self, start, end, level, parts):
        if not parts or self.indent is None:
            return start + self.between.join(parts) + end
        step = "\n" + self.indent * (level + 1)
        return (start + step + (self.between + step).join(parts) + "\n"
                + self.indent * level + end)


def dumps(obj, *, indent=None, separators=None, sort_keys=False, default=None, ensure_ascii=True):
    return _Form(indent, separators, default, sort_keys, ensure_ascii).write(obj, [], 0)


def dump(obj, fp, **named):
    fp.write(dumps(obj, **named))


def load(fp):
    return loads(fp.read())
