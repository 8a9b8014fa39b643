/** The plugin: one listener for every face. */

import { SrvError, definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { Proxies } from '@srv/lib-api/http';
import section from '../config.js';
import { parseListenAddress } from '../listen-address.js';
import { answerExchange } from './answer-exchange.js';
import { DirectRoutes } from './direct-routes.js';
import { createDrain } from './drain.js';
import { describe } from './errors.js';
import { ExchangeLog } from './exchange-log.js';
import { addHealthRoute } from './health.js';
import { interceptRequests } from './intercept.js';
import { createListener, listen, readKeyPair } from './listener.js';
import { ApiMeter } from './meter.js';
import { createServer } from './server.js';
import type { Server } from '@hapi/hapi';
import type { Hooks } from '@srv/kernel';
import type {} from '@srv/logging/contract';
import type { HttpService, ListenerAddress, ShownCertificate } from '../contract.js';
import type { AnswerParts } from './answer-exchange.js';
import type { Drain } from './drain.js';
import type { Listener } from './listener.js';

/** Milliseconds open requests may take to finish after a stop. */
const drainTimeoutMs = 30_000;
const wildcards = new Set(['0.0.0.0', '::']);

export default definePlugin({
  name: 'http',
  apply(kernel) {
    let listener: Listener | undefined;
    let drain: Drain | undefined;
    let server: Server | undefined;
    let certificate: ShownCertificate | undefined;

    const address = (): ListenerAddress => {
      const bound = listener?.address();
      if (!bound || typeof bound === 'string') throw new SrvError('internal', 'the listener is not open yet; ask after the ready hook');
      const shown = wildcards.has(bound.address) ? '127.0.0.1' : bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
      return { host: bound.address, port: bound.port, url: `${certificate ? 'https' : 'http'}://${shown}:${bound.port}`, certificate };
    };
    let answers: AnswerParts | undefined;
    const service: HttpService = {
      address,
      describe,
      async serve(raw, face) {
        if (!answers) throw new SrvError('internal', 'the listener is not open yet; serve requests that it hands over');
        await answerExchange(answers, raw, face);
      },
    };

    kernel.hooks.start.tapPromise('http', async () => kernel.services.provide('http', service));

    kernel.hooks.ready.tapPromise('http', async () => {
      const {
        listen_address: shown,
        'tls.enabled': enabled,
        'tls.cert_file': certFile = '',
        'tls.key_file': keyFile = '',
        'tls.hsts_max_age': hstsMaxAge,
        'http.trusted_proxies': trusted,
      } = kernel.config.values(section.keys);
      const strictTransport = hstsMaxAge > 0 ? `max-age=${Math.ceil(hstsMaxAge / 1000)}` : undefined;
      const where = parseListenAddress(shown);
      if (!where) throw new SrvError('config', `listen_address: ${shown} is not <host>:<port>`);
      const pair = enabled ? readKeyPair({ certFile, keyFile }) : undefined;
      certificate = pair && { file: certFile, pem: pair.cert };
      listener = createListener(pair);
      drain = createDrain(listener);
      const log = kernel.log;
      const exchanges = new ExchangeLog({
        secure: enabled,
        audit: kernel.services.find('audit') ?? ((describe, message) => log.debug(describe(), message)),
        count: activity => kernel.hooks.activity.call(activity),
        meter: new ApiMeter(kernel.services.find('metrics') ?? noopMetrics),
      });
      answers = { exchanges, log, listener };
      const direct = new DirectRoutes(answers);
      server = createServer({ listener, tls: enabled, log, exchanges, lackingRoute: (method, path) => direct.lackingRoute(method, path) });
      interceptRequests(
        listener,
        { proxies: new Proxies(trusted), strictTransport },
        raw => kernel.hooks.rawRequest.call(raw) === true || direct.claim(raw),
      );
      addHealthRoute(server, {
        installationId: () => kernel.services.find('identity')?.installationId,
        problems: () => problemsOf(kernel.hooks),
        peers: kernel.services.find('peers'),
      });
      await kernel.hooks.routes.promise(server);
      kernel.hooks.directRoute.call(route => direct.add(route));
      await server.start();
      await listen(listener, where, shown);
      log.info({ url: address().url }, 'listening');
    });

    kernel.hooks.stop.tapPromise('http', async () => {
      const finished = drain?.run(drainTimeoutMs);
      // From here on hapi sends "Connection: close".
      await server?.stop({ timeout: drainTimeoutMs });
      if ((await finished) === false) kernel.log.warn({ timeout_ms: drainTimeoutMs }, 'open requests were terminated');
    });
  },
});

function problemsOf({ health }: Pick<Hooks, 'health'>): readonly string[] {
  const problems: string[] = [];
  health.call(problem => problems.push(problem));
  return problems;
}
