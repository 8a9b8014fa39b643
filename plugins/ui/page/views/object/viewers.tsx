/** The viewers of the page: by the stored type, else by the extension, else by the first bytes. */
import { later, registry, shownName } from '@srv/lib-page/page';
import { contentsFormatOf } from '../../../src/model/contents/contents-format.js';
import { extensionOf, kindOf, tableFormatOf } from '../../../src/model/object-kind.js';
import { Media } from '../../parts/media.js';
import type { ShownObject } from '@srv/lib-page/page';

const Text = later(() => import('./text.js').then(module => module.TextView));
const MarkdownView = later(() => import('./markdown-view.js').then(module => module.MarkdownView));
const Json = later(() => import('./json.js').then(module => module.JsonView));
const MapView = later(() => import('./map.js').then(module => module.MapView));
const Table = later(() => import('../table/table-view.js').then(module => module.TableView));
const Contents = later(() => import('./contents.js').then(module => module.ContentsView));
const Notebook = later(() => import('./notebook.js').then(module => module.NotebookView));
const Pdf = later(() => import('./pdf.js').then(module => module.PdfView));
const Hex = later(() => import('./hex.js').then(module => module.HexView));

const best = 10;
const fits =
  (...kinds: readonly string[]) =>
  (object: ShownObject): number =>
    object.size > 0 && kinds.includes(kindOf(object)) ? best : 0;

registry.viewer({ id: 'markdown', title: 'Markdown', fits: fits('markdown'), render: object => <MarkdownView object={object} /> });
registry.viewer({ id: 'map', title: 'Map', fits: fits('geojson'), render: object => <MapView object={object} /> });
registry.viewer({
  id: 'json',
  title: 'JSON',
  fits: object => fits('json')(object) || (kindOf(object) === 'geojson' ? 8 : 0),
  render: object => <Json object={object} />,
});
registry.viewer({
  id: 'table',
  title: 'Table',
  fits: object => (object.size > 0 && tableFormatOf(object) ? best : 0),
  render: object => {
    const format = tableFormatOf(object);
    return format && <Table object={{ ...object, format }} />;
  },
});
registry.viewer({
  id: 'contents',
  title: 'Contents',
  fits: object => (object.size > 0 && contentsFormatOf(extensionOf(object.path)) ? best : 0),
  render: object => <Contents object={object} />,
});
registry.viewer({ id: 'notebook', title: 'Notebook', fits: fits('notebook'), render: object => <Notebook object={object} /> });
registry.viewer({
  id: 'image',
  title: 'Image',
  fits: fits('image'),
  render: ({ url, path }) => (
    <div class="picture">
      <Media kind="picture" url={url} title={shownName(path)} />
    </div>
  ),
});
registry.viewer({
  id: 'sound',
  title: 'Sound',
  fits: fits('audio'),
  render: ({ url, path }) => (
    <div class="card-body">
      <Media kind="sound" url={url} title={shownName(path)} />
    </div>
  ),
});
registry.viewer({
  id: 'video',
  title: 'Video',
  fits: fits('video'),
  render: ({ url, path }) => (
    <div class="picture">
      <Media kind="video" url={url} title={shownName(path)} />
    </div>
  ),
});
registry.viewer({
  id: 'pdf',
  title: 'PDF',
  fits: fits('pdf'),
  render: object => <Pdf object={object} />,
});
registry.viewer({
  id: 'text',
  title: 'Text',
  fits: object =>
    object.size === 0
      ? 0
      : ['text', 'markdown', 'json', 'geojson', 'delimited', 'json-lines', 'notebook', 'svg'].includes(kindOf(object))
        ? 6
        : kindOf(object) === 'unknown'
          ? 5
          : extensionOf(object.path) === 'svg'
            ? 4
            : 0,
  render: object => <Text object={object} />,
});
registry.viewer({ id: 'hex', title: 'Bytes', fits: ({ size }) => (size > 0 ? 1 : 0), render: object => <Hex object={object} /> });
