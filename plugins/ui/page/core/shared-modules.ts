/** Modules that parts use without bringing them, under the names by which their builder asks for them (`lib-page`). */

import * as page from '@srv/lib-page/page';
import { Fragment, createContext, createElement, h } from 'preact';
import * as hooks from 'preact/hooks';
import { jsx, jsxs } from 'preact/jsx-runtime';

Object.assign(globalThis, {
  [Symbol.for('srv.page')]: {
    preact: { Fragment, createContext, createElement, h },
    'preact/hooks': hooks,
    'preact/jsx-runtime': { Fragment, jsx, jsxs },
    '@srv/lib-page/page': page,
  },
});
