/** The plugin: who checks logins of principals. */
import { definePlugin } from '@srv/kernel';
import { followRequests } from '@srv/lib-api/http';
import section from '../config.js';
import operations from '../operations.js';
import { AuthenticationService } from './authentication-service.js';
import { AwsVerifier } from './aws-verifier.js';
import type {} from '@srv/auth/contract';

export default definePlugin({
  name: 'auth-principals',
  apply(kernel) {
    const { hooks, services } = kernel;
    hooks.operations.tap('auth-principals', table => table.add('auth-principals', operations));
    hooks.start.tap('auth-principals', () => {
      const config = kernel.config.values(section.keys);
      const endpoint = config['auth.authentication_api.endpoint'];
      const timeout = config['auth.authentication_api.request_timeout'];
      const service = endpoint === '' ? undefined : new AuthenticationService(endpoint, timeout);
      if (service) {
        followRequests();
        services.provide('sts', service);
      }
      // Principals stand for users with policies of their own.
      if (!config['auth.authentication_api.external_principals_enabled'] || services.find('auth')?.supports('policies') !== true) return;
      const { 'auth.aws_iam.server_ids': serverIds, 'auth.aws_iam.sts_url': stsUrl } = config;
      services.provide('principals', service ?? new AwsVerifier({ serverIds, stsUrl, timeout }));
    });
  },
});
