"""What a run checked: a line for each check as it is made, and one table of all at the end."""

from collections import Counter


def table(heads, rows):
    """Prints rows under their heads as psql does; what stands behind the first column is a number."""
    rows = [[str(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *rows)]
    print(" " + " | ".join((" " * ((width - len(head)) // 2) + head).ljust(width) for head, width in zip(heads, widths)).rstrip())
    print("-" + "-+-".join("-" * width for width in widths) + "-")
    for first, *numbers in rows:
        print(" " + " | ".join([first.ljust(widths[0]), *map(str.rjust, numbers, widths[1:])]))
    print(flush=True)


def say(text):
    """Something to know that is no check."""
    print(f"   {text}", flush=True)


class Checks:
    """Counts what held and what did not, by who was checked and what was asked."""

    def __init__(self):
        self.held, self.broken = Counter(), Counter()

    def that(self, who, what, holds, found=""):
        (self.held if holds else self.broken)[who] += 1
        print(f"ok - {who}: {what}" if holds else f"not ok - {who}: {what}: {found}", flush=True)

    def equal(self, who, what, expected, found):
        self.that(who, what, expected == found, f"expected {expected}, got {found}")

    def none(self, who, what, found):
        """`found` are examples, or a number, of what must not be."""
        self.that(who, what, not found, found[:5] if isinstance(found, list) else found)

    @property
    def failed(self):
        return sum(self.broken.values())

    def tell(self):
        """The table, and the line that everything that runs this looks for."""
        names = dict.fromkeys([*self.held, *self.broken])
        table(["checked", "held", "broken"], [[name, self.held[name], self.broken[name]] for name in names])
        print(f"{sum(self.held.values())} passed, {self.failed} failed", flush=True)
