/** Programs people use, where they are installed, over TLS: HTTP/2 for rclone, restic, curl and one form of the AWS SDK. */
import { awsCli } from './clients/aws-cli.js';
import { awsSdk } from './clients/aws-sdk.js';
import { curl } from './clients/curl.js';
import { boto3, s3fs } from './clients/python-programs.js';
import { rclone } from './clients/rclone.js';
import { restic } from './clients/restic.js';
import { testPrograms } from './clients/run-programs.js';
import { s3cmd } from './clients/s3cmd.js';

await testPrograms(
  [
    awsSdk('AWS SDK for JavaScript'),
    awsSdk('AWS SDK for JavaScript over h2', { http2: true }),
    awsCli,
    s3cmd('s3cmd'),
    s3cmd('s3cmd, signature version 2', '--signature-v2'),
    rclone,
    restic,
    curl,
    boto3,
    s3fs,
  ],
  { secure: true },
);
