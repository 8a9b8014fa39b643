"""S3 clients that are Python packages, all asked for the same steps.

clients.py URL BUCKET ACCESS_KEY_ID SECRET_ACCESS_KEY CLIENT STEP [ARGUMENT ...]
"""
import os
import sys
import urllib.request

url, bucket, key_id, secret, client, step, *arguments = sys.argv[1:]
LARGE_PART = 16 << 20


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

    def more(self, prefix):
        names = [f"{prefix}many/{i} +%" for i in range(20)]
        for name in names:
            self.s3.put_object(Bucket=bucket, Key=name, Body=b"x", Metadata={"Color": "blue"})
        assert self.s3.head_object(Bucket=bucket, Key=names[0])["Metadata"] == {"color": "blue"}
        for other in (self, Boto3("s3")):
            signed = other.s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": names[0]})
            assert urllib.request.urlopen(signed).read() == b"x"
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


class S3fs:
    def __init__(self):
        import s3fs

        self.fs = s3fs.S3FileSystem(
            key=key_id, secret=secret, client_kwargs={"endpoint_url": url, "region_name": "us-east-1"}, default_block_size=LARGE_PART
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

    def sync_down(self, prefix, folder):
        root = f"{bucket}/{prefix.rstrip('/')}"
        for found in self.fs.get_file_info(self.pa.FileSelector(root, recursive=True)):
            if found.is_file:
                self.get(found.path[len(bucket) + 1:], target(folder, found.path[len(root) + 1:]))


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
getattr(clients[client](), step)(*arguments)
