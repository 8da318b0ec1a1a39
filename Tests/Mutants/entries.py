"""Reads the entries of Tests/Mutants/*.mutant, and says which of them mean nothing any more."""

import glob
import os
import re

from place import Mistake, Product


class Mutant:
    def __init__(self, name, place):
        self.name, self.place = name, place
        self.filter = self.within = self.chaos = None
        self.old, self.new = [], []

    def broken(self, product):
        """The path of the file and its text with the breakage in it; raises where it does not find its place."""
        if not (self.filter and "".join(self.old).strip()):
            raise self.mistake("it lacks one of: seen by, -")
        try:
            return product.broken("\n".join(self.old), "\n".join(self.new), self.within)
        except Mistake as mistake:
            raise self.mistake(mistake) from None

    def mistake(self, words):
        return Mistake(f"{self.place}: '{self.name}': {words}")


def read_all():
    mutants = []
    for path in sorted(glob.glob("Tests/Mutants/*.mutant")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file.read().split("\n"), 1):
                if line.startswith("= "):
                    mutants.append(Mutant(line[2:], f"{path}:{number}"))
                elif line and not line.startswith("#"):
                    if not mutants:
                        raise Mistake(f"{path}:{number}: an entry begins with '= ' and its name")
                    take(mutants[-1], line, f"{path}:{number}")
    return mutants


def take(mutant, line, place):
    if line.startswith("in "):
        mutant.within = line[3:]
    elif line.startswith("seen by "):
        mutant.filter = line[8:]
    elif line.startswith("found by "):
        mutant.chaos = line[9:]
    elif line[:2] in ("- ", "-"):
        mutant.old.append(line[2:])
    elif line[:2] in ("+ ", "+"):
        mutant.new.append(line[2:])
    else:
        raise Mistake(f"{place}: a line begins with =, in, seen by, found by, - or +")


def chosen(mutants, words, product):
    """Those with one of the words in their name, their own file's path or the path of the file that they break."""
    def text(mutant):
        try:
            broken, _ = mutant.broken(product)
        except Mistake:
            broken = ""
        return f"{mutant.name}\n{mutant.place}\n{broken}"

    return [mutant for mutant in mutants if any(word in text(mutant) for word in words)] if words else mutants


def check_all(mutants, product):
    """Prints a line for each entry that is lost; the exit status."""
    tests, lost = Tests(), 0
    for mutant in mutants:
        try:
            mutant.broken(product)
            tests.check(mutant)
        except Mistake as mistake:
            lost += 1
            print(mistake)
    print(f"{len(mutants)} entries, {lost} without their place")
    return 1 if lost else 0


class Tests:
    """The names of all targets, suites and tests, read from the sources so that nothing has to be built."""

    def __init__(self):
        self.suites, self.tests = set(), []
        for path in glob.glob("Tests/*Tests/**/*.swift", recursive=True):
            target = path.split(os.sep)[1]
            with open(path, encoding="utf-8") as file:
                self.read(file.read(), target)

    def read(self, text, target):
        around = []
        for found in re.finditer(
                r"^( *)[^\n/]*?\b(?:(?:struct|class|actor|enum|extension) ([\w.]+)|func\s+(`[^`\n]+`|\w+))", text, re.M):
            around = [one for one in around if one[0] < len(found[1])]
            if found[2]:
                around.append((len(found[1]), found[2]))
                self.suites.add(f"{target}.{found[2]}")
            elif around:
                self.tests.append(f"{target}.{'/'.join(name for _, name in around)}/{found[3]}()")

    def check(self, mutant):
        try:
            heads = heads_of(mutant.filter)
            matches = any(re.search(mutant.filter, test) for test in self.tests)
        except (re.error, ValueError):
            raise mutant.mistake("its filter is not of the form ^Target\\.(Suite|Suite)/") from None
        for head in heads:
            if not os.path.isdir(f"Tests/{head.split('.')[0]}"):
                raise mutant.mistake(f"there is no test target {head.split('.')[0]}")
            if head not in self.suites:
                raise mutant.mistake(f"there is no suite {head}")
        if not matches:
            raise mutant.mistake(f"no test matches '{mutant.filter}'")


def heads_of(pattern):
    """All `Target.Suite` that the part of a filter before its slash names; it may hold groups of alternatives."""
    place = pattern.index("/") if "/" in pattern else len(pattern)
    texts = [pattern[:place].removeprefix("^").replace("\\.", ".")]
    while any("(" in text for text in texts):
        texts = [
            text[:group.start()] + choice + text[group.end():]
            for text in texts
            for group in [re.search(r"\(([^()]*)\)", text)]
            for choice in group[1].split("|")
        ]
    heads = sorted({head for text in texts for head in text.split("|")})
    if not all(re.fullmatch(r"\w+\.\w+", head) for head in heads):
        raise ValueError(pattern)
    return heads
