/** Keys of WebDAV. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'webdav',
  keys: {
    'features.webdav': key.bool({ default: true, meaning: 'Serve WebDAV below /dav' }),
    'webdav.list_tags': key.bool({
      default: false,
      meaning: 'The folder of a repository lists tags as well as branches, for users who may list tags',
    }),
    'webdav.max_listing': key.int({
      min: 1,
      default: 100_000,
      meaning: 'Members of a folder that a listing shows at most; it ends with status 507 where the folder has more',
    }),
    'webdav.ignore': key.list({
      default: ['._*', '.DS_Store', 'Thumbs.db', 'desktop.ini', '.~lock.*#', '~$*'],
      meaning: 'Names of files that file managers and office programs write for themselves: kept for an hour outside of the branch',
    }),
  },
});
