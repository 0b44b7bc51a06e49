def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
    return _lines(object, " ", width, sort_dicts, [])


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
    print(pformat(object, width=width, sort_dicts=sort_dicts))


def pp(object, *values, sort_dicts=False, **named):
    pprint(object, sort_dicts=sort_dicts)


def _lines(object, margin, width, sort, within):
    if any([object is one for one in within]):
        return "<Recursion on " + type(object).__name__ + ">"
    inside = within + [object]
    if isinstance(object, dict) and sort:
        try:
            object = {key: object[key] for key in sorted(object)}
        except TypeError:
            pass
    whole = repr(object)
    if len(whole) + len(margin) - 1 <= width or not isinstance(object, (dict, list, tuple)) or not object:
        return whole
    if isinstance(object, dict):
        parts = []
        for key, value in object.items():
            name = repr(key) + ": "
            parts.append(name + _lines(value, margin + " " * len(name), width, sort, inside))
        return "{" + (",\n" + margin).join(parts) + "}"
    parts = [_lines(value, margin + " ", width, sort, inside) for value in object]
    start, end = ("[", "]") if isinstance(object, list) else ("(", ",)" if len(object) == 1 else ")")
    return start + (",\n" + margin).join(parts) + end
