"""S3 clients that are Python packages, all asked for the same steps.

clients.py URL BUCKET ACCESS_KEY_ID SECRET_ACCESS_KEY CLIENT

Each line of standard input is a step, `[STEP, ARGUMENT, ...]` in JSON; each line of standard output says what it printed or
why it failed. Every step has a client of its own; importing one takes longer than most steps.
"""
import base64
import contextlib
import io
import json
import os
import re
import sys
import traceback
import urllib.request
import zlib

url, bucket, key_id, secret, client = sys.argv[1:]
if url.startswith("https:"):
    certificate = os.path.join(os.path.dirname(__file__), "../../../http/test/fixtures/test-only-cert.pem")
    os.environ["AWS_CA_BUNDLE"] = os.environ["SSL_CERT_FILE"] = certificate
LARGE_PART = 16 << 20
# The least that S3 allows for all parts but the last.
SMALL_PART = 5 << 20
# Nor can a list of objects to delete name them.
NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def files_below(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            yield path, os.path.relpath(path, folder)


def target(folder, name):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


class Boto3:
    def __init__(self, version="s3v4"):
        import boto3
        from botocore.config import Config

        self.s3 = boto3.client(
            "s3",
            endpoint_url=url,
            aws_access_key_id=key_id,
            aws_secret_access_key=secret,
            region_name="us-east-1",
            config=Config(signature_version=version, s3={"addressing_style": "path"}),
        )

    def buckets(self):
        print([found["Name"] for found in self.s3.list_buckets()["Buckets"]])

    def put(self, file, key):
        with open(file, "rb") as body:
            self.s3.put_object(Bucket=bucket, Key=key, Body=body)

    def get(self, key, file):
        self.s3.download_file(bucket, key, file)

    def range(self, key, first, last):
        answer = self.s3.get_object(Bucket=bucket, Key=key, Range=f"bytes={first}-{last}")
        sys.stdout.write(answer["Body"].read().decode())

    def put_large(self, file, key):
        from boto3.s3.transfer import TransferConfig

        self.s3.upload_file(file, bucket, key, Config=TransferConfig(multipart_chunksize=LARGE_PART))

    def copy(self, source, destination):
        self.s3.copy_object(Bucket=bucket, Key=destination, CopySource={"Bucket": bucket, "Key": source})

    def remove(self, key):
        self.s3.delete_object(Bucket=bucket, Key=key)

    def keys(self, prefix):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": 3})
        return [found["Key"] for page in pages for found in page.get("Contents", [])]

    def sync_up(self, folder, prefix):
        for path, name in files_below(folder):
            self.s3.upload_file(path, bucket, prefix + name)

    def sync_down(self, prefix, folder):
        for key in self.keys(prefix):
            self.s3.download_file(bucket, key, target(folder, key[len(prefix):]))

    def copy_all(self, source, destination):
        for key in self.keys(source):
            self.copy(key, destination + key[len(source):])

    def remove_all(self, prefix):
        keys = self.keys(prefix)
        listed = [{"Key": key} for key in keys if not NOT_IN_XML.search(key)]
        removed = self.s3.delete_objects(Bucket=bucket, Delete={"Objects": listed})
        assert "Errors" not in removed, removed["Errors"]
        for key in keys:
            if NOT_IN_XML.search(key):
                self.remove(key)

    def more(self, prefix):
        names = [f"{prefix}many/{i} +%" for i in range(20)]
        for name in names:
            self.s3.put_object(Bucket=bucket, Key=name, Body=b"x", Metadata={"Color": "blue"})
        assert self.s3.head_object(Bucket=bucket, Key=names[0])["Metadata"] == {"color": "blue"}
        for other in (self, Boto3("s3")):
            signed = other.s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": names[0]})
            assert urllib.request.urlopen(signed).read() == b"x"
        for other in (self, Boto3("s3")):
            form = other.s3.generate_presigned_post(
                bucket,
                f"{prefix}form/${{filename}}",
                Fields={"x-amz-meta-color": "blue"},
                Conditions=[{"x-amz-meta-color": "blue"}, ["content-length-range", 1, 100]],
            )
            fields = "".join(
                f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in form["fields"].items()
            )
            body = f'{fields}--b\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nby form\r\n--b--\r\n'
            sent = urllib.request.Request(form["url"], body.encode(), {"Content-Type": "multipart/form-data; boundary=b"})
            assert urllib.request.urlopen(sent).status == 204
            got = self.s3.get_object(Bucket=bucket, Key=f"{prefix}form/x.txt")
            assert (got["Body"].read(), got["Metadata"]) == (b"by form", {"color": "blue"})
        # This client signs `/bucket/` where it sends `/bucket`.
        old = Boto3("s3").s3
        old.head_bucket(Bucket=bucket)
        old.get_bucket_location(Bucket=bucket)
        for version in ("list_objects", "list_objects_v2"):
            listed = getattr(old, version)(Bucket=bucket, Prefix=f"{prefix}many/")["Contents"]
            assert sorted(found["Key"] for found in listed) == sorted(names)
        old.put_object(Bucket=bucket, Key=f"{prefix}old", Body=b"x")
        old.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": f"{prefix}old"}]})
        removed = self.s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": name} for name in names]})
        assert len(removed["Deleted"]) == len(names), removed
        assert self.keys(f"{prefix}many/") == []


    def checksums(self, prefix):
        from boto3.s3.transfer import TransferConfig

        body = os.urandom(3 * SMALL_PART)
        whole = base64.b64encode(zlib.crc32(body).to_bytes(4, "big")).decode()
        in_parts = TransferConfig(multipart_threshold=SMALL_PART, multipart_chunksize=SMALL_PART)
        told = {"ChecksumCRC32": whole, "MpuObjectSize": len(body)}
        for extra in ({"ChecksumAlgorithm": "CRC32"}, {"ChecksumAlgorithm": "SHA256"}, told):
            key = f"{prefix}checked"
            self.s3.upload_fileobj(io.BytesIO(body), bucket, key, ExtraArgs=dict(extra), Config=in_parts)
            head = self.s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
            assert head["ChecksumType"] == ("FULL_OBJECT" if extra is told else "COMPOSITE"), head
        assert head["ChecksumCRC32"] == whole, head
        wrong = {"ChecksumCRC32": "AAAAAA=="}
        try:
            self.s3.upload_fileobj(io.BytesIO(body), bucket, f"{prefix}wrong", ExtraArgs=wrong, Config=in_parts)
        except Exception as error:
            assert "BadDigest" in str(error), error
        else:
            raise AssertionError("a wrong checksum was accepted")


class S3fs:
    def __init__(self):
        import s3fs

        self.fs = s3fs.S3FileSystem(
            key=key_id,
            secret=secret,
            client_kwargs={"endpoint_url": url, "region_name": "us-east-1"},
            default_block_size=LARGE_PART,
            skip_instance_cache=True,
        )

    def buckets(self):
        print(self.fs.ls(""))

    def put(self, file, key):
        self.fs.put_file(file, f"{bucket}/{key}")

    def get(self, key, file):
        self.fs.get_file(f"{bucket}/{key}", file)

    def range(self, key, first, last):
        sys.stdout.write(self.fs.cat_file(f"{bucket}/{key}", start=int(first), end=int(last) + 1).decode())

    def put_large(self, file, key):
        with self.fs.open(f"{bucket}/{key}", "wb", block_size=LARGE_PART) as out, open(file, "rb") as body:
            while piece := body.read(LARGE_PART):
                out.write(piece)

    def copy(self, source, destination):
        self.fs.cp_file(f"{bucket}/{source}", f"{bucket}/{destination}")

    def remove(self, key):
        self.fs.rm_file(f"{bucket}/{key}")

    def sync_up(self, folder, prefix):
        for path, name in files_below(folder):
            self.fs.put_file(path, f"{bucket}/{prefix}{name}")

    def sync_down(self, prefix, folder):
        root = f"{bucket}/{prefix}"
        for found in self.fs.find(root):
            self.fs.get_file(found, target(folder, found[len(root):]))

    def copy_all(self, source, destination):
        for found in self.fs.find(f"{bucket}/{source}"):
            self.copy(found[len(bucket) + 1:], destination + found[len(f"{bucket}/{source}"):])

    def remove_all(self, prefix):
        found = self.fs.find(f"{bucket}/{prefix}")
        # A list of paths is one of patterns.
        alone = [path for path in found if NOT_IN_XML.search(path) or re.search(r"[*?\[]", path)]
        self.fs.rm([path for path in found if path not in alone])
        for path in alone:
            self.fs.rm_file(path)


class Pyarrow:
    def __init__(self):
        from pyarrow import fs

        self.pa = fs
        self.fs = fs.S3FileSystem(access_key=key_id, secret_key=secret, endpoint_override=url, region="us-east-1")

    def buckets(self):
        print([found.path for found in self.fs.get_file_info(self.pa.FileSelector(""))])

    def put(self, file, key):
        with self.fs.open_output_stream(f"{bucket}/{key}") as out, open(file, "rb") as body:
            while piece := body.read(LARGE_PART):
                out.write(piece)

    put_large = put

    def get(self, key, file):
        with self.fs.open_input_stream(f"{bucket}/{key}") as body, open(file, "wb") as out:
            while piece := body.read(LARGE_PART):
                out.write(piece)

    def range(self, key, first, last):
        with self.fs.open_input_file(f"{bucket}/{key}") as body:
            sys.stdout.write(body.read_at(int(last) - int(first) + 1, int(first)).decode())

    def copy(self, source, destination):
        self.fs.copy_file(f"{bucket}/{source}", f"{bucket}/{destination}")

    def remove(self, key):
        self.fs.delete_file(f"{bucket}/{key}")

    def sync_up(self, folder, prefix):
        for path, name in files_below(folder):
            self.put(path, prefix + name)

    def names(self, prefix):
        root = f"{bucket}/{prefix.rstrip('/')}"
        found = self.fs.get_file_info(self.pa.FileSelector(root, recursive=True))
        return [entry.path[len(root) + 1:] for entry in found if entry.is_file]

    def sync_down(self, prefix, folder):
        for name in self.names(prefix):
            self.get(prefix + name, target(folder, name))

    def copy_all(self, source, destination):
        for name in self.names(source):
            self.copy(source + name, destination + name)

    def remove_all(self, prefix):
        self.fs.delete_dir(f"{bucket}/{prefix.rstrip('/')}")

    def datasets(self, prefix, branch):
        import pyarrow
        from pyarrow import dataset

        self.fs.create_dir(f"{bucket}/{branch}")
        table = pyarrow.table({"part": ["a", "a", "b c"], "n": [1, 2, 3]})
        for root in (f"{bucket}/{branch}", f"{bucket}/{prefix}data +%"):
            dataset.write_dataset(table, root, filesystem=self.fs, format="parquet", partitioning=["part"], partitioning_flavor="hive")
            read = dataset.dataset(root, filesystem=self.fs, format="parquet", partitioning="hive").to_table()
            assert read.sort_by("n").select(["part", "n"]).equals(table.select(["part", "n"])), read


class Duckdb:
    def __init__(self):
        import duckdb
        from duckdb_extensions import import_extension

        self.db = duckdb.connect(config={"home_directory": os.getcwd()})
        import_extension("httpfs", con=self.db)
        self.db.execute("LOAD httpfs")
        host = url.removeprefix("http://")
        self.db.execute(
            f"CREATE SECRET (TYPE s3, KEY_ID '{key_id}', SECRET '{secret}', ENDPOINT '{host}',"
            " URL_STYLE 'path', USE_SSL false, REGION 'us-east-1')"
        )

    def at(self, key):
        return f"s3://{bucket}/{key}"

    def names(self, prefix, names):
        failed = []
        for number, name in enumerate(json.loads(names)):
            place = self.at(prefix + name).replace("'", "''")
            try:
                self.db.execute(f"COPY (SELECT {number} AS n) TO '{place}' (FORMAT csv, HEADER)")
                found = self.db.execute(f"SELECT n FROM read_csv('{place}', header = true)").fetchone()
                assert found == (number,), found
            except Exception as error:
                failed.append(f"{name!r}: {error}")
        assert failed == [], "\n".join(failed)

    def csv(self, prefix):
        place = self.at(f"{prefix}a b+c.csv")
        self.db.execute(f"COPY (SELECT range AS n, n * 2 AS m FROM range(1000)) TO '{place}' (HEADER)")
        assert self.db.execute(f"SELECT sum(m) FROM read_csv('{place}')").fetchone() == (999000,)

    def parquet(self, prefix):
        place = self.at(f"{prefix}large.parquet")
        # Random text does not compress: about 100 MB.
        self.db.execute(
            f"COPY (SELECT range AS n, uuid()::VARCHAR || uuid()::VARCHAR AS text FROM range(1700000)) TO '{place}'"
            " (FORMAT parquet, COMPRESSION uncompressed)"
        )
        assert self.db.execute(f"SELECT count(*), max(n) FROM '{place}'").fetchone() == (1700000, 1699999)
        sizes = self.db.execute(f"SELECT sum(total_compressed_size) FROM parquet_metadata('{place}')").fetchone()
        assert sizes[0] > 100_000_000, sizes

    def pattern(self, prefix):
        for part in range(3):
            self.db.execute(f"COPY (SELECT {part} AS part) TO '{self.at(f'{prefix}set/part={part}/data.csv')}' (HEADER)")
        found = self.db.execute(f"SELECT count(*), sum(part) FROM read_csv('{self.at(f'{prefix}set/*/*.csv')}')").fetchone()
        assert found == (3, 3), found


clients = {"boto3": Boto3, "s3fs": S3fs, "pyarrow": Pyarrow, "duckdb": Duckdb}
for line in sys.stdin:
    step, *arguments = json.loads(line)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            getattr(clients[client](), step)(*arguments)
        answer = {"printed": printed.getvalue()}
    except Exception:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
