"""What users of a client do below a prefix, with the keys of a user of few rights: least_rights.py CLIENT STEP URL BUCKET/PREFIX KEY SECRET."""
import os
import sys

client, step, url, root, key_id, secret = sys.argv[1:]


class Pyarrow:
    def __init__(self):
        from pyarrow import fs

        self.fs = fs.S3FileSystem(access_key=key_id, secret_key=secret, endpoint_override=url, region="us-east-1")

    def table(self):
        import pyarrow

        return pyarrow.table({"part": ["a", "b"], "n": [1, 2]})

    def write(self):
        from pyarrow import dataset

        bucket, branch, *_ = root.split("/")
        self.fs.create_dir(f"{bucket}/{branch}/")
        self.fs.create_dir(f"{root}/folder", recursive=True)
        for _ in range(2):
            dataset.write_dataset(
                self.table(),
                f"{root}/set",
                filesystem=self.fs,
                format="parquet",
                partitioning=["part"],
                partitioning_flavor="hive",
                existing_data_behavior="delete_matching",
            )

    def read(self):
        from pyarrow import dataset

        read = dataset.dataset(f"{root}/set", filesystem=self.fs, format="parquet", partitioning="hive").to_table()
        assert read.num_rows == 2, read


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

    def write(self):
        for _ in range(2):
            self.db.execute(f"COPY (SELECT range AS n FROM range(10)) TO 's3://{root}/table.parquet' (FORMAT parquet)")

    def read(self):
        (found,) = self.db.execute(f"SELECT count(*) FROM 's3://{root}/*.parquet'").fetchone()
        assert found == 10, found


class Spark:
    def __init__(self):
        from pyspark.sql import SparkSession

        jars = os.environ["SRV_TEST_SPARK"]
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        settings = {
            "endpoint": url,
            "access.key": key_id,
            "secret.key": secret,
            "path.style.access": "true",
            "connection.ssl.enabled": "false",
            "attempts.maximum": "1",
            "retry.limit": "1",
        }
        for name, value in settings.items():
            builder = builder.config(f"spark.hadoop.fs.s3a.{name}", value)
        files = ",".join(os.path.join(jars, name) for name in os.listdir(jars) if name.endswith(".jar"))
        self.spark = builder.config("spark.jars", files).getOrCreate()
        self.table = f"s3a://{root}/spark"

    def write(self):
        frame = self.spark.range(10).selectExpr("id", "id % 2 AS part")
        for mode in ("overwrite", "overwrite", "append"):
            frame.write.mode(mode).partitionBy("part").parquet(self.table)

    def read(self):
        assert self.spark.read.parquet(self.table).count() == 20


getattr({"pyarrow": Pyarrow, "duckdb": Duckdb, "spark": Spark}[client](), step)()
