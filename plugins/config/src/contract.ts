/** What the configuration was read from, for the program that runs the server. */

export interface LocalSettings {
  /** Folder of the installation: parent of `database.local.path`. */
  readonly folder: string;
  /** Configuration of the command-line tool for this installation. */
  readonly cliFile: string;
  /** Whether this run created the installation's secrets. */
  readonly created: boolean;
  /** Of the first administrator; empty where the server creates none, in a database that others may share. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /**
   * Writes the address the server really listens on to {@link cliFile}, where that exists. It stays as it is if its host is neither
   * this machine nor that of `url`: someone wrote it who knows the server under that name.
   */
  setEndpoint(url: string): void;
}

export interface ConfigOrigin {
  /** Configuration file in use; absent: none was found. */
  readonly file?: string;
  /** Present with `--local-settings` and `--quickstart`. */
  readonly local?: LocalSettings;
}

declare module '@srv/kernel' {
  interface Services {
    configOrigin: ConfigOrigin;
  }
}
