"""What people do with huggingface_hub; prints "passed" at the end."""
import array
import hashlib
import os
import pathlib
import tempfile

import huggingface_hub
from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, snapshot_download
from huggingface_hub.utils import EntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

assert huggingface_hub.__version__.startswith(os.environ.get("HUB_VERSION", "2.")), huggingface_hub.__version__
api = HfApi()
repo, kind = "srv/zoo", "dataset"
assert api.whoami()["name"] == "srv"


def fails(error, work):
    try:
        work()
    except error as caught:
        return caught
    raise AssertionError("it did not fail")


url = api.create_repo(repo, repo_type=kind)
assert url.repo_id == repo
assert api.create_repo(repo, repo_type=kind, exist_ok=True).repo_id == repo
api.upload_file(path_or_fileobj=b"id,name\n1,ape\n", path_in_repo="data/train.csv", repo_id=repo, repo_type=kind)

folder = pathlib.Path(tempfile.mkdtemp())
# A part is random, one compresses well as text, one as numbers: each of the ways in which clients pack chunks.
large = os.urandom(10_000_000) + b"lakes and fish, " * 400_000 + array.array("f", range(1_000_000)).tobytes()
(folder / "sub").mkdir()
(folder / "sub" / "large.bin").write_bytes(large)
(folder / "README.md").write_text("---\nlicense: mit\n---\nhello\n")
(folder / "empty").write_text("")
(folder / "lines.txt").write_text("a line\n" * 300_000)
api.upload_folder(folder_path=str(folder), repo_id=repo, repo_type=kind, commit_message="Folder")
# What is there is not sent again, and no commit is made; but files that are large for a commit are described by LFS alone.
sha = api.repo_info(repo, repo_type=kind).sha
api.upload_folder(folder_path=str(folder), repo_id=repo, repo_type=kind, ignore_patterns=["sub/*"] if "WITHIN_COMMITS" in os.environ else None)
assert api.repo_info(repo, repo_type=kind).sha == sha

path = hf_hub_download(repo, "sub/large.bin", repo_type=kind)
assert hashlib.sha256(pathlib.Path(path).read_bytes()).digest() == hashlib.sha256(large).digest()
assert sorted(api.list_repo_files(repo, repo_type=kind)) == ["README.md", "data/train.csv", "empty", "lines.txt", "sub/large.bin"]
assert sorted(os.listdir(snapshot_download(repo, repo_type=kind))) == ["README.md", "data", "empty", "lines.txt", "sub"]
assert len(api.repo_info(repo, repo_type=kind, files_metadata=True).siblings) == 5

api.create_branch(repo, repo_type=kind, branch="dev")
api.create_tag(repo, repo_type=kind, tag="v1.0")
api.create_tag(repo, repo_type=kind, tag="v1.0", exist_ok=True)
refs = api.list_repo_refs(repo, repo_type=kind)
assert ([b.name for b in refs.branches], [t.name for t in refs.tags]) == (["dev", "main"], ["v1.0"])
assert [c.title for c in api.list_repo_commits(repo, repo_type=kind)][0] == "Folder"
assert [x.path for x in api.list_repo_tree(repo, repo_type=kind)] == ["README.md", "data", "empty", "lines.txt", "sub"]
assert [x.path for x in api.get_paths_info(repo, ["data/train.csv", "sub", "none"], repo_type=kind)] == ["data/train.csv", "sub"]

fails(EntryNotFoundError, lambda: hf_hub_download(repo, "none.txt", repo_type=kind))
fails(RevisionNotFoundError, lambda: hf_hub_download(repo, "README.md", revision="none", repo_type=kind))
fails(RepositoryNotFoundError, lambda: api.repo_info("srv/nothing-here"))

fails(EntryNotFoundError, lambda: api.delete_file("none.txt", repo, repo_type=kind))
fails(EntryNotFoundError, lambda: api.delete_folder("none", repo, repo_type=kind))
assert not api.repo_exists("srv/no_such.name")
refused = fails(Exception, lambda: api.upload_file(path_or_fileobj=b"x", path_in_repo="x", repo_id=repo, repo_type=kind, revision="v1.0"))
assert "is not a branch" in str(refused), refused
for work, word in (
    (lambda: api.super_squash_history(repo, repo_type=kind), "not rewritten"),
    (lambda: api.move_repo(repo, "srv/other", repo_type=kind), "not renamed"),
    (lambda: api.create_repo("srv/no_such.name"), "such as srv/no-such-name"),
    (lambda: HfApi(token=False).repo_info(repo, repo_type=kind), "set HF_TOKEN"),
):
    refused = fails(Exception, work)
    assert word in str(refused), refused

fs = HfFileSystem()
root = "datasets/" + repo
assert fs.cat(root + "/data/train.csv") == b"id,name\n1,ape\n"
with fs.open(root + "/sub/large.bin", "rb") as file:
    file.seek(1000)
    assert file.read(50) == large[1000:1050]
with fs.open(root + "/new.txt", "w") as file:
    file.write("written")
fs.cp(root + "/new.txt", root + "/copy.txt")
fs.rm(root + "/new.txt")
assert root + "/copy.txt" in fs.find(root) and root + "/new.txt" not in fs.find(root)

api.delete_folder("sub", repo, repo_type=kind)
head = api.repo_info(repo, repo_type=kind).sha
api.upload_file(path_or_fileobj=b"x", path_in_repo="x", repo_id=repo, repo_type=kind, parent_commit=head)
late = fails(Exception, lambda: api.upload_file(path_or_fileobj=b"y", path_in_repo="y", repo_id=repo, repo_type=kind, parent_commit=head))
assert "412" in str(late), late
made = api.upload_file(
    path_or_fileobj=large, path_in_repo="proposed.bin", repo_id=repo, repo_type=kind, create_pr=True, commit_message="Propose it"
)
assert made.pr_revision == f"refs/pr/{made.pr_num}", made
hf_hub_download(repo, "proposed.bin", repo_type=kind, revision=made.pr_revision)
api.upload_file(path_or_fileobj=b"z", path_in_repo="z", repo_id=repo, repo_type=kind, revision=made.pr_revision)
assert sorted(set(api.list_repo_files(repo, repo_type=kind, revision=made.pr_revision))) == sorted(
    api.list_repo_files(repo, repo_type=kind) + ["proposed.bin", "z"]
)
api.auth_check(repo, repo_type=kind)
assert [x.id for x in api.list_datasets()] == [repo]
hf_hub_download(repo, "sub/large.bin", repo_type=kind, revision="v1.0")
api.delete_branch(repo, repo_type=kind, branch="dev")
api.delete_tag(repo, repo_type=kind, tag="v1.0")
if "KEEP_REPOSITORY" not in os.environ:
    api.delete_repo(repo, repo_type=kind)
print("passed")
