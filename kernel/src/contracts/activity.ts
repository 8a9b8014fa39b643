/** What statistics and usage reports count. */
export interface Activity {
  /** `api_server`, `s3_gateway`, `webdav`, `mcp`, `huggingface`, `iceberg`, `traffic`, `actions_service`, `lua_hooks`, `global`, or a word of a client. */
  readonly class: string;
  /** Within the class, such as `create_branch`. */
  readonly name: string;
  /** Default: 1. */
  readonly count?: number;
  readonly repository?: string | undefined;
  readonly ref?: string | undefined;
  readonly sourceRef?: string | undefined;
  /** Name of the user whose request it is. */
  readonly user?: string | undefined;
  /** What the client calls itself. */
  readonly client?: string | undefined;
  /** A client reported it: this server has not seen it happen. */
  readonly reported?: boolean;
}
