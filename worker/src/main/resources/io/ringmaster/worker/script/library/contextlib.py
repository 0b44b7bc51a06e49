from functools import wraps

class ExitStack:
    def __init__(self):
        self._callbacks = []

    def enter_context(self, manager):
        value = manager.__enter__()
        self._callbacks.append(manager.__exit__)
        return value

    def callback(self, function, *arguments, **named):
        self._callbacks.append(lambda *_: function(*arguments, **named))

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        while self._callbacks:
            self._callbacks.pop()(*error)
        return False


class closing:
    def __init__(self, thing):
        self._thing = thing

    def __enter__(self):
        return self._thing

    def __exit__(self, *error):
        self._thing.close()
        return False


def contextmanager(function):
    @wraps(function)
    def helper(*args, **named):
        return _managed(function(*args, **named))
    return helper
