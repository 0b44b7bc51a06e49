class StringIO:
    def __init__(self, initial_value="", newline="\n"):
        self._text = initial_value
        self._at = 0
        self.closed = False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("string argument expected, got '" + type(text).__name__ + "'")
        self._text = self._text[: self._at] + text + self._text[self._at + len(text) :]
        self._at += len(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def getvalue(self):
        return self._text

    def read(self, size=-1):
        end = len(self._text) if size is None or size < 0 else self._at + size
        text = self._text[self._at : end]
        self._at += len(text)
        return text

    def readline(self, size=-1):
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end + 1
        if size is not None and size >= 0:
            end = min(end, self._at + size)
        text = self._text[self._at : end]
        self._at = max(self._at, end)
        return text

    def readlines(self, hint=-1):
        return [line for line in self]

    def seek(self, offset, whence=0):
        if whence == 2:
            offset += len(self._text)
        elif whence == 1:
            offset += self._at
        if offset < 0:
            raise ValueError("Negative seek position " + str(offset))
        self._at = offset
        return offset

    def tell(self):
        return self._at

    def truncate(self, size=None):
        self._text = self._text[: self._at if size is None else size]
        return len(self._text)

    def flush(self):
        pass

    def isatty(self):
        return False

    def close(self):
        self.closed = True

    def __iter__(self):
        line = self.readline()
        while line:
            yield line
            line = self.readline()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
        return False
