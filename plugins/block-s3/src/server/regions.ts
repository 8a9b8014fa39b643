/** The region of a bucket. */
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { messageOf } from '@srv/kernel';
import { LRUCache } from 'lru-cache';
import { answerOf } from './errors.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Logger } from '@srv/kernel';

/** Milliseconds that the default counts after a lookup that failed. */
const failedMs = 60_000;

/** Statuses of stores that lack the request: asking again would not help. */
const lacking: readonly number[] = [405, 501];

/** What users name in imports and links may be many. @bound buckets whose region is remembered */
const rememberedBuckets = 1000;

interface RegionOptions {
  /** Asks about buckets; its region is the default. */
  readonly client: S3Client;
  readonly fallback: string;
  /** False: every bucket is in the default region. */
  readonly discover: boolean;
  readonly log: Logger;
}

export class BucketRegions {
  readonly #options: RegionOptions;
  readonly #known = new LRUCache<string, Promise<string>>({ max: rememberedBuckets });

  constructor(options: RegionOptions) {
    this.#options = options;
  }

  /** Asks once per bucket, however many callers there are; the default region if the store does not report one. */
  of(bucket: string): Promise<string> {
    if (!this.#options.discover) return Promise.resolve(this.#options.fallback);
    let region = this.#known.get(bucket);
    if (!region) {
      region = this.#discover(bucket);
      this.#known.set(bucket, region);
    }
    return region;
  }

  async #discover(bucket: string): Promise<string> {
    const { client, fallback, log } = this.#options;
    try {
      return (await client.send(new HeadBucketCommand({ Bucket: bucket }))).BucketRegion ?? fallback;
    } catch (error) {
      // A refusal names the region, too.
      const answer = answerOf(error);
      const regionHeader = answer?.headers['x-amz-bucket-region'];
      if (regionHeader !== undefined) return regionHeader;
      log.warn({ bucket, region: fallback, error: messageOf(error) }, 'bucket region is unknown, the default is used');
      // A fault passes, a missing bucket may be created, and permissions may be granted.
      if (!answer || !lacking.includes(answer.status)) setTimeout(() => this.#known.delete(bucket), failedMs).unref();
      return fallback;
    }
  }
}
