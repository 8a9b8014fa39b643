/** Search over the metadata of committed objects. Methods take the name of a repository and throw SrvError. */
import type { Page } from '@srv/lib-records';

/** An object as it is found: a row of the table `object_metadata`. */
export interface FoundObject {
  readonly path: string;
  /** The latest commit that added or changed it; absent for what is not committed. */
  readonly commitId?: string | undefined;
  readonly committer?: string | undefined;
  /** Bytes. */
  readonly size: number;
  readonly lastModified: Date;
  readonly etag: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly contentType?: string | undefined;
}

export interface SearchRequest {
  /** An expression of the filter language; absent or empty: everything. */
  readonly where?: string | undefined;
  readonly prefix?: string | undefined;
  /** Path after which the results begin. */
  readonly after?: string | undefined;
  /** Shows a branch with what is not committed. */
  readonly uncommitted?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A change that a commit made: a row of the table `object_journal`. */
export interface JournalEntry {
  readonly commitId: string;
  readonly committer: string;
  readonly date: Date;
  readonly path: string;
  readonly operation: 'added' | 'changed' | 'removed';
  readonly before?: ObjectState | undefined;
  readonly after?: ObjectState | undefined;
}

export interface ObjectState {
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
}

export interface JournalRequest {
  readonly prefix?: string | undefined;
  /** Position to continue after: `nextOffset` of a page. */
  readonly after?: string | undefined;
  /** Older commits are left out. */
  readonly since?: Date | undefined;
  readonly amount?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What lies below a prefix. */
export interface Usage {
  /** Of an object, or of all below it where it ends with the delimiter. */
  readonly path: string;
  readonly isPrefix: boolean;
  readonly objects: number;
  readonly bytes: number;
  /** Of the objects, those that no other branch has in the same state at the same path. */
  readonly uniqueObjects: number;
  readonly uniqueBytes: number;
}

export interface UsageRequest {
  readonly prefix?: string | undefined;
  /** Paths that contain it after the prefix are one result. Default: `/`; empty: one result for everything. */
  readonly delimiter?: string | undefined;
  readonly after?: string | undefined;
  readonly amount?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchSettings {
  /** Patterns of names of branches that are indexed as soon as they change. */
  readonly branches: readonly string[];
}

export interface StoredSearchSettings extends SearchSettings {
  /** Names this state of the settings; empty where none are stored. */
  readonly etag: string;
}

export interface SearchStatus {
  /** From the configuration and the settings together. */
  readonly patterns: readonly string[];
  readonly branches: readonly {
    readonly branch: string;
    readonly commitId: string;
    /** Whether the head is indexed. */
    readonly isIndexed: boolean;
  }[];
  /** Commits that this server is about to index. */
  readonly waiting: number;
}

export interface MetadataSearch {
  /** @throws SrvError `invalid` where the repository is not indexed, with the remedy. */
  search(repository: string, ref: string, request?: SearchRequest & { readonly amount?: number | undefined }): Promise<Page<FoundObject>>;
  /** All results, in order of paths. */
  rows(repository: string, ref: string, request?: SearchRequest): AsyncIterable<FoundObject>;
  /** Newest commit first, along first parents. */
  journal(repository: string, ref: string, request?: JournalRequest): Promise<Page<JournalEntry>>;
  usage(repository: string, ref: string, request?: UsageRequest): Promise<Page<Usage>>;
  /** Whether patterns select branches. */
  isIndexed(repository: string): Promise<boolean>;
  settings(repository: string): Promise<StoredSearchSettings>;
  /**
   * @param ifMatch ETag of the settings to replace, empty for none.
   * @throws SrvError `invalid`, `read_only`, `precondition_failed` when other settings are stored.
   */
  setSettings(repository: string, settings: SearchSettings, ifMatch?: string): Promise<void>;
  status(repository: string): Promise<SearchStatus>;
  /** Removes the index of a repository; this and other servers make it again. */
  rebuild(repository: string): Promise<void>;
}

declare module '@srv/kernel' {
  interface Services {
    search: MetadataSearch;
  }
}
