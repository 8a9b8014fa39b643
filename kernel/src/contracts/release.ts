/** What clients and people learn about the release that runs. */
export interface ReleaseFacts {
  readonly version: string;
  /** Newest release that is known. */
  readonly latestVersion?: string;
  readonly upgradeRecommended?: boolean;
  /** Where the newer release is described. */
  readonly upgradeUrl?: string;
  /** Known weaknesses of this release. */
  readonly alerts?: readonly SecurityAlert[];
}

export interface SecurityAlert {
  readonly id: string;
  readonly description: string;
  readonly affectedVersions?: string | undefined;
  readonly patchedVersions?: string | undefined;
}
