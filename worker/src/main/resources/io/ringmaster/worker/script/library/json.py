_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _text(value):
    return '"' + "".join([_ESCAPES.get(c, c) for c in value]) + '"'


def _key(value):
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)) or value is None:
        return _plain(value)
    raise TypeError("keys must be str, int, float, bool or None, not " + type(value).__name__)


def _plain(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    return None


def _write(value, indent, within, default, sort):
    plain = _plain(value)
    if plain is not None:
        return plain
    if any([value is one for one in within]):
        raise ValueError("Circular reference detected")
    level = len(within)
    inside = within + [value]
    step = None if indent is None else "\n" + " " * (indent * (level + 1))
    end = "" if indent is None else "\n" + " " * (indent * level)
    between = ", " if step is None else "," + step
    if isinstance(value, dict):
        keys = sorted(value.keys()) if sort else list(value.keys())
        parts = [
            _text(_key(key)) + ": " + _write(value[key], indent, inside, default, sort)
            for key in keys
        ]
        return "{}" if not parts else "{" + (step or "") + between.join(parts) + end + "}"
    if isinstance(value, (list, tuple)):
        parts = [_write(item, indent, inside, default, sort) for item in value]
        return "[]" if not parts else "[" + (step or "") + between.join(parts) + end + "]"
    if default is not None:
        return _write(default(value), indent, within, None, sort)
    raise TypeError("Object of type " + type(value).__name__ + " is not JSON serializable")


def dumps(obj, *, indent=None, sort_keys=False, default=None, ensure_ascii=True):
    return _write(obj, indent, [], default, sort_keys)
