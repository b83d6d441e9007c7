"""Calls the library python-bugzilla and prints the name of each command that has succeeded."""

import io
import sys
import uuid

import bugzilla

address, key, login = sys.argv[1:]
tracker = bugzilla.Bugzilla(address, api_key=key, use_creds=False)
word = "w" + uuid.uuid4().hex[:8]
place = {"product": "TestProduct", "component": "TestComponent", "version": "unspecified"}


def create(summary, **more):
    fields = tracker.build_createbug(summary=summary, description="At night.", **place, **more)
    return tracker.createbug(fields)


def check(value, expected):
    if value != expected:
        raise AssertionError(f"{value!r} is not {expected!r}")


def connect():
    check(tracker.logged_in, True)
    check(tracker.bz_ver_major >= 5, True)


def create_and_get():
    bug = create(word, alias=word, keywords=["crash"], cc=[login])
    check(tracker.getbug(bug.id).summary, word)
    check(tracker.getbug(word).id, bug.id)
    check([one.id for one in tracker.getbugs([bug.id, word])], [bug.id, bug.id])
    check(tracker.getbug(bug.id, include_fields=["id", "keywords"]).keywords, ["crash"])


def query():
    found = tracker.query(tracker.build_query(short_desc=word))
    check([bug.summary for bug in found], [word])
    address_of_list = f"{tracker.url}/buglist.cgi?short_desc={word}&short_desc_type=substring"
    check(len(tracker.query(tracker.url_to_query(address_of_list))), 1)


def update():
    one, two = create("One"), create("Two")
    changes = tracker.build_update(
        comment="Me too.", whiteboard="[x]", keywords_add=["crash"], depends_on_add=[two.id], cc_add=[login]
    )
    tracker.update_bugs([one.id], changes)
    one.refresh()
    check([one.whiteboard, one.keywords, one.depends_on, one.cc], ["[x]", ["crash"], [two.id], [login]])
    one.close("FIXED", comment="Done.")
    one.refresh()
    check([one.status, one.resolution], ["CLOSED", "FIXED"])
    two.setstatus("ASSIGNED")
    two.setassignee(assigned_to=login)
    two.addcomment("Mine.", private=True)
    two.updateflags({"needinfo": "?"})
    two.refresh()
    check([two.status, two.assigned_to, len(two.flags)], ["ASSIGNED", login, 1])


def discuss():
    bug = create("Discussed")
    bug.addcomment("Yes.")
    check([comment["text"] for comment in bug.getcomments()], ["At night.", "Yes."])
    bug.addcc(login)
    history = bug.get_history_raw()["bugs"][0]["history"]
    check(history[-1]["changes"][0]["field_name"], "cc")


def tag():
    bug = create("Tagged")
    tracker.update_tags([bug.id], tags_add=["later"])
    check(tracker.getbug(bug.id, include_fields=["tags"]).tags, ["later"])


def attach():
    bug = create("Has a file")
    attached = tracker.attachfile([bug.id], io.BytesIO(b"\x00\xff bytes"), "A file", file_name="a.bin", content_type="application/octet-stream")
    check(tracker.openattachment(attached).read(), b"\x00\xff bytes")
    check([one["id"] for one in bug.get_attachments(exclude_fields=["data"])], [attached])
    tracker.updateattachmentflags(bug.id, attached, "review", status="?")


def people():
    email = word + "@tracker.example"
    check(tracker.createuser(email, "Somebody", "correct horse battery").email, email)
    check(tracker.getuser(email).real_name, "Somebody")
    check([user.email for user in tracker.searchusers(word)], [email])
    tracker.updateperms(email, "add", ["editbugs"])
    check(email in [member["email"] for member in tracker.getgroup("editbugs", membership=True).members()], True)


def products():
    check("TestProduct" in [product["name"] for product in tracker.getproducts()], True)
    check("TestComponent" in tracker.getcomponents("TestProduct"), True)
    check(tracker.getcomponentdetails("TestProduct", "TestComponent")["default_assigned_to"], login)
    component = {"product": "TestProduct", "component": word, "description": "New", "initialowner": login}
    tracker.addcomponent(component)
    tracker.editcomponent({"product": "TestProduct", "component": word, "description": "Newer"})
    check("bug_status" in tracker.getbugfields() or "status" in tracker.getbugfields(), True)


commands = {
    "logged_in, bz_ver_major": connect,
    "createbug, getbug, getbugs": create_and_get,
    "query, url_to_query": query,
    "update_bugs, refresh, close, setstatus, setassignee, updateflags": update,
    "addcomment, getcomments, addcc, get_history_raw": discuss,
    "update_tags": tag,
    "attachfile, openattachment, get_attachments, updateattachmentflags": attach,
    "createuser, getuser, searchusers, updateperms, getgroup": people,
    "getproducts, getcomponents, addcomponent, editcomponent, getbugfields": products,
}
for name, command in commands.items():
    try:
        command()
        print(name)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
