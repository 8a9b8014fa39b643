/** What pages of plugins are made of: components, data of the API, addresses, and the registry of what the page shows. */

export { decodedUri } from '../src/model/decoded-uri.js';
export { ownValue } from '../src/model/own-value.js';
export { branchResource, repositoryResource } from '../src/model/resource.js';
export { fitsStorePattern } from '../src/model/store-pattern.js';
export { isTablePath } from '../src/model/table-path.js';
export { agoText, counted, grouped, shortRef, shownColumn, shownName, shownText, sizeText } from '../src/model/text.js';
export { useAsync, usePages } from './core/async-data.js';
export { boot, offers, root } from './core/boot.js';
export { unlessChanged } from './core/changed-meanwhile.js';
export { Refusal, SessionEnded, ask, call, messageIn, messageOf, objectUrl, requestOf, send, sessionEnded } from './core/client.js';
export { lastPlace, noteLastPlace } from './core/last-place.js';
export { absolute, commitOf, objectOf, objectsOf, to } from './core/links.js';
export { usePlace } from './core/location.js';
export { dismiss, notices, notify } from './core/notices.js';
export { useDenial, useGuards, useRefusal } from './core/permission.js';
export { onPersonChange } from './core/person.js';
export { recentRefs, rememberRef } from './core/recent-refs.js';
export { comparisons, finders, guards, ownPages, panels, registry, tabs, viewers } from './core/registry.js';
export { rowsOnServer, serverRunsQueries } from './core/server-queries.js';
export { entryNeeded, logOut, noteStorage, refreshSession, session, storage, stores } from './core/session.js';
export { startWorker } from './core/start-worker.js';
export { creationOf } from './core/taken-name.js';
export { holdsTypedText } from './core/typed-text.js';
export { ActionButtons, ActionLinks, actionItems } from './parts/actions.js';
export { Boundary } from './parts/boundary.js';
export { Button, Wide } from './parts/button.js';
export { CenteredCard } from './parts/centered-card.js';
export { Confirm, Dialog, FormDialog } from './parts/dialog.js';
export { explained } from './parts/explained.js';
export { Copy, RefName, Size, Time, copyText } from './parts/facts.js';
export { Check, Choice, Field, Search } from './parts/field.js';
export { Brand, Icon } from './parts/icon.js';
export { later } from './parts/lazy.js';
export { ChangeTree, Code, ConflictDialog, Content, DataTable, Markdown, lend } from './parts/lent.js';
export { LineNumber, OtherRemarks, remarksOf } from './parts/line-remarks.js';
export { ListPage } from './parts/list-page.js';
export { Menu } from './parts/menu.js';
export { useCommitMetadata, useMetadata } from './parts/metadata.js';
export { Panels } from './parts/panels.js';
export { RefPicker } from './parts/ref-picker.js';
export { PagedRows, Rows } from './parts/rows.js';
export { SessionOver } from './parts/session-over.js';
export { Alert, Empty, Failed, Loading, LoadingRows, With } from './parts/states.js';
export { Tabs } from './parts/tabs.js';
export type { AsyncData, Page, Pages } from './core/async-data.js';
export type { Input } from './core/client.js';
export type { CurrentRoute } from './core/location.js';
export type {
  Action,
  ActionDialogProps,
  BranchGuard,
  ComparisonProps,
  Finder,
  GuardedBranch,
  LineRemarks,
  RefusalProps,
  RepositoryPlace,
  ShownObject,
  Target,
  Viewer,
} from './core/registry.js';
export type { User } from './core/session.js';
export type { IconName } from './parts/icon.js';
export type { Remarks } from './parts/lent.js';
export type { MenuItem } from './parts/menu.js';
