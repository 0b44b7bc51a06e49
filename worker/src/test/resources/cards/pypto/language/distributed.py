from pypto.language import Anything


def __getattr__(name):
    return Anything()
