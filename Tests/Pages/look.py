"""Looks at each screen and acts on each, as a person does: python3 look.py URL PID [FOLDER_FOR_PICTURES]"""

import os
import shutil
import sys
import urllib.parse

from browser import Browser, wait
from crowd import crowd
from sql import sql

URL, PID = sys.argv[1:3]
PICTURES = sys.argv[3] if len(sys.argv) > 3 else None
TOKEN = "ann-0123456789abcdef"
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "audit.js"), encoding="utf-8") as audit:
    AUDIT = audit.read()

SCREENS = {
    "overview": "/", "tenants": "/tenants", "tenant": "/tenant?tenant=globex", "user": "/story?tenant=acme&user=ann",
    "late jobs": "/late", "jobs": "/jobs?tenant=initech&kind=client_refused", "runs": "/runs",
    "failed runs": "/runs?outcome=failed", "sources": "/sources", "workers": "/workers", "job files": "/files",
    "job file": "/file?name=metube.refresh", "audit": "/audit",
    "question": "/act?act=retry&tenant=initech&source=metube-hub&kind=client_refused&back=%2F",
    "no such user": "/story?tenant=acme&user=nobody", "not found": "/jobs",
}
failed = 0


def check(sentence, found, wanted=True):
    global failed
    if found == wanted:
        print(f"ok - {sentence}", flush=True)
    else:
        failed += 1
        print(f"not ok - {sentence}: found {found!r}", flush=True)


def picture(page, name):
    if PICTURES:
        page.picture(os.path.join(PICTURES, name + ".png"))


def sign_in(page):
    page.go(URL + "/")
    page.js(f"document.querySelector('[name=token]').value = '{TOKEN}'")
    page.click("main button")


def expected_complaint(text, name):
    # A page that says 400 is told of as such.
    return name == "not found" and "400" in text


def all_screens(page):
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for width in (1280, 400):
            page.size(width, 900)
            faults = []
            for name, path in SCREENS.items():
                page.complaints.clear()
                page.go(URL + path)
                faults += [f"{name}: {fault}" for fault in page.js(AUDIT)]
                page.pump()
                faults += [f"{name}: {text}" for text in page.complaints if not expected_complaint(text, name)]
                wide = page.js("document.scrollingElement.scrollWidth")
                if wide > width:
                    faults.append(f"{name} is {wide} px wide")
            check(f"each screen is whole, in words and in contrast, {scheme}, {width} px wide", faults, [])
    page.scheme("light")
    page.size(1280, 900)


def times_and_numbers(page):
    page.call("Emulation.setTimezoneOverride", timezoneId="Asia/Tokyo")
    page.go(URL + "/workers")
    shown = page.js("[document.querySelector('tbody time').textContent, document.querySelector('tbody time').title]")
    moment = page.js("new Date(document.querySelector('tbody time').dateTime).toLocaleTimeString('en-US', {timeZone: 'Asia/Tokyo'})")
    check("a time is in the viewer's zone, and in UTC under the pointer", moment in shown[0] and shown[1].endswith("UTC"))
    page.call("Emulation.setTimezoneOverride", timezoneId="")


def follows(page):
    page.complaints.clear()
    page.go(URL + "/workers")
    before = page.js("document.querySelector('main .age time').dateTime")
    wait("a newer screen", lambda: page.js("document.querySelector('main .age time').dateTime") != before)
    check("a screen that changes is sent anew by itself", True)
    page.pump()
    check("and nothing complains of it", page.complaints, [])


def acts(page):
    """Each act on one job, and close-breaker: asked, done, one line with its reason."""
    for word, verb in (("Run now", None), ("Read in full", None), ("Pause", "pause_jobs"),
                       ("Resume", "resume_jobs"), ("Retry", "retry_jobs"), ("Cancel", "cancel_jobs"),
                       ("Reset", "reset_jobs"), ("Repair", "repair_jobs")):
        page.go(URL + "/story?tenant=acme&user=user-000001")
        page.click("article a.act", word)
        page.js("document.querySelector('[name=why]').value = 'to see'")
        page.click("form.confirm button")
        said = page.js("document.querySelector('[role=status]').textContent")
        row = sql("""select concat_ws(' ', a.person, a.login, a.role, a.tenant, a.user_key, a.detail ->> 'jobs', a.detail ->> 'why')
            from jobrunner.audit_trail as a where a.verb = 'act_on_jobs' order by a.id desc limit 1""")
        # What an application asks for all day leaves no line of its own.
        own = verb and sql("select verb from jobrunner.audit_trail where verb <> 'act_on_jobs' order by id desc limit 1")
        check(f"{word}: asked, done, and a line that says who, what and why", ("1 job was meant" in said, row, own),
              (True, "Ann Smith jobrunner_pages jobrunner_operator acme user-000001 1 to see", verb))
    page.go(URL + "/sources")
    page.click("a.act", "Close")
    page.js("document.querySelector('[name=why]').value = 'it is back'")
    page.click("form.confirm button")
    check("Close: the breaker of a source is closed, and a line says who, what and why", sql(
        "select concat_ws(' ', person, verb, tenant, object, detail ->> 'why') from jobrunner.audit_trail where verb = 'close_breaker'"),
        "Ann Smith close_breaker globex metube-hub it is back")


    wait("its first key", lambda: sql(
        "select count(*) from jobrunner.audit_trail where verb = 'add_tenant_key' and tenant = 'globex'") == "1")
    page.go(URL + "/tenant?tenant=globex")
    page.click("a.act", "Give it another key")
    page.js("document.querySelector('[name=why]').value = 'somebody left'")
    page.click("form.confirm button")
    wait("another key", lambda: sql(
        "select count(*) from jobrunner.audit_trail where verb = 'replace_tenant_key' and tenant = 'globex'") == "1")
    check("Give it another key: a worker does, and a line says who asked, and why", sql(
        "select concat_ws(' ', person, verb, tenant, detail ->> 'why') from jobrunner.audit_trail where verb = 'renew_tenant_key'"),
        "Ann Smith renew_tenant_key globex somebody left")
    page.go(URL + "/file?name=metube.refresh")
    check("a job file's screen has its statements",
          page.js("document.querySelector('[aria-label=\"Its statements\"]').textContent").count("insert into") > 0)


def many(page):
    page.go(URL + "/jobs?tenant=globex&source=metube-hub")
    page.click(".acts a.act", "Pause")
    count = page.js("document.querySelector('form.confirm strong').textContent")
    page.click("form.confirm button")
    paused = sql("select count(*) from jobrunner.jobs as j join jobrunner.tenants as t on t.id = j.tenant_id "
                 "where t.name = 'globex' and j.paused_at is not null")
    check("many jobs by a filter: the number first, then all of them", (count, paused), ("Pause: 20 jobs", "20"))
    page.go(URL + "/jobs?tenant=globex&source=metube-hub")
    page.click(".acts a.act", "Resume")
    page.click("form.confirm button")


def questions(page):
    """Each of four questions is answered within three clicks from the overview."""
    page.size(1280, 1000)
    page.go(URL + "/")
    picture(page, "pages-overview")
    causes = page.js("[...document.querySelectorAll('tbody tr')].map((e) => e.textContent)")
    check("which tenant's client secret is wrong? is on the overview itself",
          any("initech" in text and "client" in text for text in causes))
    page.click("nav a", "Tenants")
    page.click("main a", "acme")
    page.click("main a", "ann")
    check("why is ann's feed old? in three clicks", "backing off after a failure" in page.js("document.querySelector('.why').textContent"))
    picture(page, "pages-user")
    page.go(URL + "/")
    page.js("document.querySelector('main ul a[href^=\"/late\"]').id = 'waiting'")
    page.click("#waiting")
    check("who is late, and why? in one click", page.js("document.querySelectorAll('main li strong').length") >= 1)
    picture(page, "pages-late")
    page.go(URL + "/")
    page.click("nav a", "Job files")
    page.js("[...document.querySelectorAll('tr')].find((e) => e.textContent.includes('metube.refresh')).querySelectorAll('a')[1].id = 'since'")
    page.click("#since")
    check("what did the deploy break? in two clicks", page.js("document.querySelectorAll('tbody tr').length") > 0)
    picture(page, "pages-deploy")


def reach(page, selector):
    """Tab until the element has the focus, which can be seen."""
    for _ in range(200):
        page.press("Tab")
        if page.js(f"document.activeElement.matches({selector!r})"):
            return page.js("getComputedStyle(document.activeElement).outlineStyle !== 'none'")
    raise AssertionError(f"the keyboard does not reach {selector}")


def enter(page):
    page.is_loaded = False
    page.press("Enter", "\r")
    page.loaded()


def keyboard(browser):
    page = browser.page()
    page.go(URL + "/sign-in")
    page.write(TOKEN)
    enter(page)
    seen = [reach(page, "a[href='/tenants']")]
    enter(page)
    seen.append(reach(page, "a[href='/tenant?tenant=initech']"))
    enter(page)
    seen.append(reach(page, "a.act[href*='act=run']"))
    enter(page)
    page.write("by the keyboard")
    enter(page)
    check("by the keyboard alone: signed in, found, done, and the focus was seen",
          (page.js("document.querySelector('[role=status]') !== null"), seen), (True, [True] * 3))


def without_scripts(browser):
    page = browser.page()
    page.call("Network.clearBrowserCookies")
    page.scripts(False)
    page.go(URL + "/jobs?tenant=initech")
    root = lambda: page.call("DOM.getDocument")["root"]["nodeId"]
    def focus(selector):
        node = page.call("DOM.querySelector", nodeId=root(), selector=selector)["nodeId"]
        page.call("DOM.focus", nodeId=node)
    def text(selector):
        node = page.call("DOM.querySelector", nodeId=root(), selector=selector)["nodeId"]
        return page.call("DOM.getOuterHTML", nodeId=node)["outerHTML"] if node else ""
    focus("[name=token]")
    page.write(TOKEN)
    enter(page)
    whole = "initech" in text("table") and "UTC" in text("time")
    focus("a.act[href*='act=retry']")
    enter(page)
    focus("[name=why]")
    page.write("without scripts")
    enter(page)
    check("without JavaScript: signed in, seen, and done", (whole, "role=\"status\"" in text("main")), (True, True))
    page.scripts(True)


def main():
    browser = Browser(shutil.which("chromium"))
    try:
        page = browser.page()
        page.size(1280, 900)
        page.scheme("light")
        sign_in(page)
        check("a token signs in", page.js("document.querySelector('.who').textContent"), "Ann Smith")
        cookies = page.call("Network.getCookies", urls=[URL])["cookies"]
        check("its cookie is out of scripts' and other sites' reach",
              [(c["httpOnly"], c["sameSite"]) for c in cookies], [(True, "Strict")])
        questions(page)
        all_screens(page)
        times_and_numbers(page)
        follows(page)
        many(page)
        acts(page)
        keyboard(browser)
        without_scripts(browser)
        statuses, growth = crowd(URL, PID, TOKEN)
        check("beside two hundred slow ones somebody is answered", statuses, {200})
        check(f"and the memory stays where it is, {growth} kB more in the last of six rounds", growth < 4000)
    finally:
        browser.close()
    sys.exit(1 if failed else 0)


main()
