"""Finds the one place that a snippet means in the product's text, whatever its layout and its local names are."""

import glob
import re

FOLDERS = ("Sources", "sql")
ENDINGS = (".swift", ".sql", ".c", ".h")
# What may stand before a name that an entry's `in` says.
DECLARES = r"(?:func|struct|class|enum|actor|extension|protocol|var|let|init|case)"


class Mistake(Exception):
    """One line for the person who wrote the entry, or who called."""


class Product:
    """The text of all files that a breakage may be in, as they stand now."""

    def __init__(self):
        self.texts, self.words = {}, {}
        for path in sorted(path for folder in FOLDERS for path in glob.glob(f"{folder}/**/*", recursive=True)):
            if path.endswith(ENDINGS):
                with open(path, encoding="utf-8") as file:
                    self.texts[path] = file.read()
                self.words[path] = set(re.findall(r"[\w$]+", self.texts[path]))

    def regions(self, within):
        """Where to look: (path, start, end) of all files, of those under a path, or of what a name declares."""
        if within is None or "/" in within:
            return [
                (path, 0, len(text)) for path, text in self.texts.items()
                if within is None or f"{path}/".startswith(within.rstrip("/") + "/")
            ]
        regions = []
        for path, text in self.texts.items():
            if within in self.words[path]:
                ends = sql_end if path.endswith(".sql") else swift_end
                regions += [(path, found.start(), ends(text, found)) for found in declarations(path, within, text)]
        return regions

    def find(self, old, within):
        """All places of a snippet, each a path and a match."""
        tokens = tokens_of(old)
        pattern = re.compile(pattern_of(tokens))
        needed = {token for token in tokens if re.fullmatch(r"[\w$]+", token)}
        places = {}
        for path, start, end in self.regions(within):
            if needed <= self.words[path]:
                for found in pattern.finditer(self.texts[path], start, end):
                    places[path, found.span()] = (path, found)
        return list(places.values())

    def broken(self, old, new, within):
        """The path and the text of the file that the breakage is made in; raises where the place is not just one."""
        places = self.find(old, within)
        where = f" in {within}" if within else ""
        if not places:
            raise Mistake(f"its text is nowhere{where}")
        if len(places) > 1:
            paths = sorted({path for path, _ in places})
            raise Mistake(f"its text is found {len(places)} times{where}: {', '.join(paths[:3])}")
        path, found = places[0]
        text = self.texts[path]
        changed = text[:found.start()] + filled(new, found) + text[found.end():]
        if changed.split() == text.split():
            raise Mistake("it changes nothing")
        return path, changed


def declarations(path, name, text):
    if path.endswith(".sql"):
        return re.finditer(rf"^create [\w ]*\b(?:\w+\.)?{re.escape(name)}\b", text, re.M)
    return re.finditer(rf"^( *)[^\n/]*\b{DECLARES} (?:\w+\.)*{re.escape(name)}\b", text, re.M)


def sql_end(text, declaration):
    following = re.compile(r"^create ", re.M).search(text, declaration.end())
    return following.start() if following else len(text)


def swift_end(text, declaration):
    """The formatter indents a declaration's closing brace as its first line; one of a single line ends with it."""
    first = text.find("\n", declaration.end())
    if re.search(r"[{(,=]$|\)$", text[declaration.end():first]) is None:
        return first
    closing = re.compile(rf"^{declaration[1]}}}", re.M).search(text, declaration.end())
    return closing.end() if closing else len(text)


def tokens_of(snippet):
    """Words, wildcards and single signs; a blank stands for any whitespace between two of them."""
    return [
        " " if token.isspace() else token
        for token in re.findall(r"<[a-z]\w*>|…|[\w$]+|\s+|.", snippet.strip())
    ]


def pattern_of(tokens):
    parts, names = [], set()
    for token in tokens:
        if token == " ":
            # Between a word and a sign a blank may be there or not; between two words it must be.
            parts.append(r"\s*")
        elif token == "…":
            parts.append(r"([^\n]*?)")
        elif re.fullmatch(r"<\w+>", token):
            name = token[1:-1]
            path = rf"(?P={name})" if name in names else rf"(?P<{name}>[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*)"
            parts.append(rf"(?<![\w$]){path}(?![\w$])")
            names.add(name)
        elif re.fullmatch(r"[\w$]+", token):
            parts.append(rf"(?<![\w$]){re.escape(token)}(?![\w$])")
        else:
            parts.append(rf"\s*{re.escape(token)}\s*")
    return re.sub(r"(\\s\*){2,}", r"\\s*", "".join(parts)).removeprefix(r"\s*").removesuffix(r"\s*")


def filled(new, found):
    """The text that takes the place, with what the wildcards have matched."""
    named = found.groupdict()
    gaps = [text for place, text in enumerate(found.groups(), 1) if place not in found.re.groupindex.values()]

    def value(wildcard):
        try:
            return gaps.pop(0) if wildcard[0] == "…" else named[wildcard[0][1:-1]]
        except (IndexError, KeyError):
            raise Mistake(f"its + has a {wildcard[0]} that its - has not") from None

    return re.sub(r"<[a-z]\w*>|…", value, new)
