"""Adds up the JUnit reports of every tier into one closing line. Exits 1 when a report is missing or holds a failure."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TIERS = ("core", "blender-53", "blender-52", "device-53", "device-52", "packaging", "clients", "app", "window")

reports = {tier: Path(sys.argv[1]) / f"test-{tier}.xml" for tier in TIERS}
missing = [tier for tier, report in reports.items() if not report.exists()]
tests = failed = skipped = 0
for tier, report in reports.items():
    if tier in missing:
        continue
    for suite in ElementTree.parse(report).iter("testsuite"):
        tests += int(suite.get("tests"))
        failed += int(suite.get("failures")) + int(suite.get("errors"))
        skipped += int(suite.get("skipped"))
if missing:
    print(f"no report from: {', '.join(missing)}")
print(f"{tests - failed - skipped} passed, {failed} failed, {skipped} skipped")
sys.exit(bool(missing or failed or tests == skipped))
