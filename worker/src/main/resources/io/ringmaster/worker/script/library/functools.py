def cached_property(function):
    values = {}

    def get(self):
        try:
            known = self in values
        except TypeError:
            return function(self)
        if not known:
            values[self] = function(self)
        return values[self]

    return property(get)
