def cached_property(function):
    known = []

    def get(self):
        for owner, value in known:
            if owner is self:
                return value
        value = function(self)
        known.append((self, value))
        return value

    return property(get)
