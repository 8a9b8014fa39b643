"""The first day with a server, told by the Python packages of others. Arguments: URL, access key id, secret, namespace."""

import sys
import tempfile

import lakefs
import lakefs_sdk
from lakefs.client import Client
from lakefs.exceptions import ConflictException, NotFoundException

url, access_key_id, secret_access_key, namespace = sys.argv[1:]
client = Client(host=url, username=access_key_id, password=secret_access_key)


def check(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


repository = lakefs.Repository("pylakes", client=client).create(storage_namespace=namespace)
check(repository.properties.default_branch, "main", "default branch")
main = repository.branch("main")
first = main.object("a/b c.txt").upload(data=b"hello", content_type="text/plain", metadata={"color": "blue"})
check(first.stat().checksum, "5d41402abc4b2a76b9719d911017c592", "checksum")
check(first.stat().metadata, {"color": "blue"}, "metadata")
with main.object("lines").writer(mode="w") as writer:
    writer.write("one\ntwo\n")
check([c.path for c in main.uncommitted()], ["a/b c.txt", "lines"], "uncommitted")
commit = main.commit(message="first", metadata={"by": "python"})
check(commit.get_commit().message, "first", "message")

dev = repository.branch("dev").create(source_reference="main")
dev.object("a/new").upload(data=b"new")
dev.object("lines").delete()
dev.commit(message="second")
check(sorted((d.type, d.path) for d in main.diff(other_ref=dev)), [("added", "a/new"), ("removed", "lines")], "diff")
merged = dev.merge_into(main)
check(main.get_commit().id, merged, "head after the merge")
check([o.path for o in main.objects()], ["a/b c.txt", "a/new"], "objects")
check([c.message for c in main.log(max_amount=2)], ["Merge 'dev' into 'main'", "second"], "log")
tag = repository.tag("v1").create("main")
check(tag.get_commit().id, merged, "tag")
with tag.object("a/b c.txt").reader(mode="rb") as reader:
    check(reader.read(2), b"he", "first bytes")
    reader.seek(3)
    check(reader.read(), b"lo", "last bytes")
check(tag.object("a/b c.txt").exists(), True, "existing object")
check(tag.object("none").exists(), False, "absent object")

dev.delete_objects(["a/new"])
check([c.path for c in dev.uncommitted()], ["a/new"], "deleted")
dev.reset_changes()
main.revert("v1~1")
with main.transact(commit_message="in a transaction") as transaction:
    transaction.object("t").upload(data=b"t")
check(main.get_commit().message.startswith("Merge transaction"), True, "transaction")
try:
    lakefs.Repository("pylakes", client=client).create(storage_namespace=namespace)
    raise AssertionError("created twice")
except ConflictException:
    pass
try:
    repository.branch("none").get_commit()
    raise AssertionError("found what is not there")
except NotFoundException as refusal:
    assert refusal.body["message"], refusal

sdk = lakefs_sdk.ApiClient(lakefs_sdk.Configuration(host=f"{url}/api/v1", username=access_key_id, password=secret_access_key))
branches = lakefs_sdk.BranchesApi(sdk)
check([b.id for b in branches.list_branches("pylakes").results], ["dev", "main"], "branches")
branches.create_branch("pylakes", lakefs_sdk.BranchCreation(name="sdk", source="main"))
objects = lakefs_sdk.ObjectsApi(sdk)
with tempfile.NamedTemporaryFile() as file:
    file.write(b"bytes")
    file.flush()
    objects.upload_object("pylakes", "sdk", "from-sdk", content=file.name)
check(bytes(objects.get_object("pylakes", "sdk", "from-sdk")), b"bytes", "download")
lakefs_sdk.CommitsApi(sdk).commit("pylakes", "sdk", lakefs_sdk.CommitCreation(message="sdk"))
refs = lakefs_sdk.RefsApi(sdk)
check([d.path for d in refs.diff_refs("pylakes", "main", "sdk").results], ["from-sdk"], "diff")
refs.merge_into_branch("pylakes", "sdk", "main")
check(refs.log_commits("pylakes", "main", amount=1).results[0].message, "Merge 'sdk' into 'main'", "log")
check(lakefs_sdk.ConfigApi(sdk).get_config().storage_config.blockstore_type, "local", "config")
tags = lakefs_sdk.TagsApi(sdk)
tags.create_tag("pylakes", lakefs_sdk.TagCreation(id="v2", ref="main"))
check([t.id for t in tags.list_tags("pylakes").results], ["v1", "v2"], "tags")
print("done")
