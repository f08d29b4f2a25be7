"""Arrays of requests of calls that complete any or some of them, by docs/format.md alone."""

from slotrelations import COMPLETES, KIND_REQUEST, relationsOf

KIND_INT, KIND_FLAG, REMEMBERED = 0, 8, 8


def slotsOf(function):
    """(array of requests, places, flag or None) or None."""
    slots = relationsOf(function)[1]
    at = next((i for i in range(1, len(slots)) if slots[i].kind == KIND_REQUEST and slots[i].isArray), None)
    if at is None or slots[at].use != COMPLETES:
        return None
    behind = [i for i in range(at + 1, len(slots)) if slots[i].isOutput]
    numbers = [i for i in behind if slots[i].kind == KIND_INT and not slots[i].isHidden]
    lists = [i for i in numbers if slots[i].isArray]
    flags = [i for i in behind if slots[i].kind == KIND_FLAG]
    return (at, (lists[-1:] or numbers)[0], flags[-1] if flags else None) if numbers else None


class History:
    """Of one thread. Names are lists of numbers, by how many there are, the one used last at the end."""

    def __init__(self):
        self.names, self.completed = {}, {}

    def resolve(self, words):
        """The array's names, or None if they cannot be told."""
        if not words or words[0] > -3:
            number, names = len(words), list(words)
        else:
            number = -16 - words[1]
            if number not in self.names:
                return None
            names = self.names[number]
            if words[0] == -3:
                for place, name in self.completed[number]:
                    names[place] = name
            for place, name in zip(words[2::2], words[3::2]):
                if 0 <= -16 - place < number:
                    names[-16 - place] = name
        if number:
            self.names.pop(number, None)
            self.names[number], self.completed[number] = names, []
            if len(self.names) > REMEMBERED:
                del self.names[next(iter(self.names))]
        return list(names)

    def complete(self, number, places):
        for place in places:
            if 0 <= place < number and self.names[number][place] != -1:
                self.completed[number].append((place, self.names[number][place]))
                self.names[number][place] = -1


def resolved(values, slots, history, tags):
    """The values of a call, with the names. tags: those of a word, of an array, and of a value that is absent."""
    at, places, flag = slots
    word, array, absent = tags
    numbers = lambda slot: values[slot][1] if values[slot][0] in (word, array) else []
    if values[at][0] != array:
        return values
    names = history.resolve(numbers(at))
    if names is None:
        return (*values[:at], (absent, [], None), *values[at + 1:])
    if names and list(numbers(0)) == [0] and (flag is None or len(numbers(flag)) == 1 and numbers(flag)[0]):
        history.complete(len(names), numbers(places))
    return (*values[:at], (array, names, None), *values[at + 1:])
