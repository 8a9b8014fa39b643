/** Programs people use, where they are installed, in the clear. */
import { awsCli } from './clients/aws-cli.js';
import { awsSdk } from './clients/aws-sdk.js';
import { curl } from './clients/curl.js';
import { boto3, duckdb, pyarrow, s3fs } from './clients/python-programs.js';
import { rclone } from './clients/rclone.js';
import { restic } from './clients/restic.js';
import { testPrograms } from './clients/run-programs.js';
import { s3cmd } from './clients/s3cmd.js';

await testPrograms(
  [
    awsSdk('AWS SDK for JavaScript'),
    awsCli,
    s3cmd('s3cmd'),
    s3cmd('s3cmd, signature version 2', '--signature-v2'),
    rclone,
    restic,
    curl,
    boto3,
    s3fs,
    pyarrow,
    duckdb,
  ],
  { secure: false },
);
