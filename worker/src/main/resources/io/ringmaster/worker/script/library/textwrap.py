def dedent(text):
    lines = text.split("\n")
    margin = None
    for line in lines:
        if line.strip():
            spaces = len(line) - len(line.lstrip())
            margin = spaces if margin is None else min(margin, spaces)
    return "\n".join([line[margin or 0 :] if line.strip() else "" for line in lines])


def indent(text, prefix):
    return "\n".join([prefix + line if line.strip() else line for line in text.split("\n")])


def shorten(text, width, placeholder=" [...]"):
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - len(placeholder)].rstrip() + placeholder
