/** Policies as they are stored and evaluated. */

/** Operator → context field → values; operators and fields are all required, values are alternatives. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface Statement {
  readonly effect: 'allow' | 'deny';
  /** Patterns such as `fs:Read*`. */
  readonly action: readonly string[];
  /** A resource pattern, `*`, or a JSON array of patterns as text. */
  readonly resource: string;
  readonly condition?: Conditions | undefined;
}

export interface Policy {
  readonly id: string;
  readonly createdAt: Date;
  readonly statement: readonly Statement[];
  /** Present on the policy that implements a group's permission in `simplified` mode. */
  readonly acl?: AclPermission | undefined;
}

export type AclPermission = 'Read' | 'Write' | 'Super' | 'Admin';
