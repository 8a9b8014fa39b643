/** The service that this plugin's operations call. */

export interface PasswordService {
  /** Responds alike for every address. @throws SrvError `invalid` for text that is not an address. */
  forgot(address: string): void;
  setPassword(request: { readonly token: string; readonly password: string; readonly email?: string | undefined }): Promise<void>;
}

declare module '@srv/kernel' {
  interface Services {
    passwords: PasswordService;
  }
}
