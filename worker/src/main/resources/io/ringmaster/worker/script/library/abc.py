class ABC:
    pass


def abstractmethod(function):
    return function
