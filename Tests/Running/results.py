"""What a run of `swift test` says in its result file; called by bin/test.

  results.py FILE    prints `PASSED FAILED`, then each failed test on a line of its own: a filter that runs it alone, a
                     tab, and its name
"""

import re
import sys
import xml.etree.ElementTree as tree


def main(path):
    passed = 0
    failed = {}
    for case in tree.parse(path).iter("testcase"):
        suite, name = case.get("classname"), case.get("name")
        if case.find("failure") is not None:
            failed[f"^{re.escape(suite)}/{re.escape(name)}"] = f"{suite}/{name}"
        elif case.find("skipped") is None:
            passed += 1
    print(passed, len(failed))
    for pattern, name in failed.items():
        print(f"{pattern}\t{name}")


main(sys.argv[1])
