"""The first day with a server, told by a client generated from its document. Arguments: folder of the client, URL, access key id, secret, namespace."""

import base64
import importlib
import io
import sys

folder, url, access_key_id, secret_access_key, namespace = sys.argv[1:]
sys.path.insert(0, folder)
api = "srv_api_client"
module = importlib.import_module(api)
types = importlib.import_module(f"{api}.types")
models = importlib.import_module(f"{api}.models")
token = base64.b64encode(f"{access_key_id}:{secret_access_key}".encode()).decode()
client = module.AuthenticatedClient(base_url=f"{url}/api/v1", token=token, prefix="Basic", raise_on_unexpected_status=True)


def call(place, *arguments, body=None, **query):
    function = importlib.import_module(f"{api}.api.{place}")
    if body is not None:
        query["body"] = body
    answer = function.sync_detailed(*arguments, client=client, **query)
    assert answer.status_code < 300, f"{place}: {answer.status_code} {answer.content!r}"
    return answer


def named(operation, fields):
    return getattr(models, f"{operation}Body").from_dict(fields)


def check(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


created = call("repositories.create_repository", body=named("CreateRepository", {"name": "genlakes", "storage_namespace": namespace}))
check(created.parsed.default_branch, "main", "default branch")
call("branches.create_branch", "genlakes", body=named("CreateBranch", {"name": "dev", "source": "main"}))
content = types.File(payload=io.BytesIO(b"hello"), mime_type="application/octet-stream")
uploaded = call("objects.upload_object", "genlakes", "dev", body=content, path="a/b c.txt")
check(uploaded.parsed.checksum, "5d41402abc4b2a76b9719d911017c592", "checksum")
changes = call("branches.diff_branch", "genlakes", "dev").parsed
check([(c.type_, c.path) for c in changes.results], [("added", "a/b c.txt")], "uncommitted")
commit = call("commits.commit", "genlakes", "dev", body=named("Commit", {"message": "first", "metadata": {"k": "v"}})).parsed
check(commit.metadata.to_dict(), {"k": "v"}, "metadata")
differences = call("refs.diff_refs", "genlakes", "main", "dev").parsed
check([d.path for d in differences.results], ["a/b c.txt"], "diff")
merged = call("refs.merge_into_branch", "genlakes", "dev", "main", body=named("MergeIntoBranch", {})).parsed
tag = call("tags.create_tag", "genlakes", body=named("CreateTag", {"id": "v1", "ref": "main"})).parsed
check(tag.commit_id, merged.reference, "tag")
log = call("refs.log_commits", "genlakes", "v1", amount=2).parsed
check([c.message for c in log.results], ["Merge 'dev' into 'main'", "first"], "log")
downloaded = call("objects.get_object", "genlakes", "v1", path="a/b c.txt")
check(downloaded.content, b"hello", "download")
listed = call("objects.list_objects", "genlakes", "main").parsed
check([(o.path, o.size_bytes) for o in listed.results], [("a/b c.txt", 5)], "objects")
print("done")
