"""Names of folders behind which there are no files, each another."""

_made = [0]


def gettempdir():
    return "/tmp"


def mkdtemp(suffix=None, prefix=None, dir=None):
    _made[0] += 1
    return f"{dir or gettempdir()}/{prefix or 'tmp'}{_made[0]:08d}{suffix or ''}"


class TemporaryDirectory:
    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, *, delete=True):
        self.name = mkdtemp(suffix, prefix, dir)

    def __enter__(self):
        return self.name

    def __exit__(self, *error):
        return False

    def cleanup(self):
        return None

    def __repr__(self):
        return f"<TemporaryDirectory {self.name!r}>"
