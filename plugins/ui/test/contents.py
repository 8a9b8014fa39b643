"""Writes archives and files of arrays, and what Python says of them into `expected.json`."""
import io, json, struct, sys, tarfile, zipfile
folder = sys.argv[1]
members = {'a/ü.txt': b'x' * 1000, 'b' * 150 + '/long.bin': bytes(range(256)) * 5, 'empty': b''}
with zipfile.ZipFile(folder + '/a.zip', 'w', zipfile.ZIP_DEFLATED) as out:
    for name, content in members.items(): out.writestr(zipfile.ZipInfo(name, (2024, 2, 29, 12, 34, 56)), content, zipfile.ZIP_DEFLATED)
    out.comment = b'a comment'
with zipfile.ZipFile(folder + '/a.zip') as read: listed = [[i.filename, i.file_size, i.compress_size] for i in read.infolist()]
for name, kind in (('gnu', tarfile.GNU_FORMAT), ('pax', tarfile.PAX_FORMAT)):
    with tarfile.open(folder + '/%s.tar' % name, 'w', format=kind) as out:
        for path, content in members.items():
            info = tarfile.TarInfo(path); info.size = len(content); info.mtime = 1709210096
            out.addfile(info, io.BytesIO(content))
header = json.dumps({'__metadata__': {'format': 'pt'}, 'weight': {'dtype': 'F32', 'shape': [2, 3], 'data_offsets': [0, 24]}, 'bias': {'dtype': 'BF16', 'shape': [], 'data_offsets': [24, 26]}}).encode()
open(folder + '/a.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header + b'\0' * 26)
array = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"
array += ' ' * (63 - (10 + len(array)) % 64) + '\n'
open(folder + '/a.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(array)) + array.encode() + b'\0' * 96)
import datetime, decimal
import pyarrow as pa, pyarrow.orc as orc
table = pa.table({
    'id': pa.array([-2**63, 5, 2**63 - 1, None], pa.int64()), 'price': pa.array([1.5, -0.25, None, None], pa.float64()),
    'name': ['b', 'a', 'ü', None], 'exact': pa.array([decimal.Decimal('3.03'), decimal.Decimal('-1.10'), None, None], pa.decimal128(20, 2)),
    'day': pa.array([datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), None, None]),
    'when': pa.array([datetime.datetime(2024, 2, 29, 12, 30), datetime.datetime(2020, 1, 1), None, None], pa.timestamp('ns')),
    'tags': pa.array([['x'], [], None, ['y', 'z']], pa.list_(pa.string())), 'at': pa.array([{'x': 1, 'y': True}] * 4, pa.struct([('x', pa.int32()), ('y', pa.bool_())])),
})
for kind in ('uncompressed', 'zlib', 'zstd', 'snappy'): orc.write_table(table, folder + '/%s.orc' % kind, compression=kind)
import numpy
arrays = {'images': numpy.zeros((10, 28, 28), 'uint8'), 'weights': numpy.asfortranarray(numpy.random.rand(300, 40)), 'names': numpy.array(['a', 'bc']), 'one': numpy.float32(1), 'flat': numpy.zeros(200_000), 'long': numpy.zeros(800_000, 'i8')}
numpy.savez(folder + '/stored.npz', **arrays)
numpy.savez_compressed(folder + '/packed.npz', **arrays)
with numpy.load(folder + '/packed.npz') as read:
    shapes = [[name + '.npy', str(read[name].shape), read[name].dtype.str, read[name].flags['F_CONTIGUOUS'] and not read[name].flags['C_CONTIGUOUS']] for name in read.files]
def tiff(path, order, big, pages):
    """Each page: a list of (tag, type, values)."""
    long, size = ('Q', 8) if big else ('I', 4)
    kinds = {2: 's', 3: 'H', 4: 'I', 12: 'd'}
    out = struct.pack(order + ('2sHHHQ' if big else '2sHI'), b'II' if order == '<' else b'MM', *((43, 8, 0, 16) if big else (42, 8)))
    for number, page in enumerate(pages):
        at = len(out) + struct.calcsize(order + ('Q' if big else 'H')) + len(page) * (20 if big else 12) + size
        entries, rest = b'', b''
        for tag, kind, values in page:
            data = values.encode() + b'\0' if kind == 2 else struct.pack(order + kinds[kind] * len(values), *values)
            count = len(data) if kind == 2 else len(values)
            value = data.ljust(size, b'\0') if len(data) <= size else struct.pack(order + long, at + len(rest))
            if len(data) > size: rest += data
            entries += struct.pack(order + 'HH' + long, tag, kind, count) + value
        after = at + len(rest) if number + 1 < len(pages) else 0
        out += struct.pack(order + ('Q' if big else 'H'), len(page)) + entries + struct.pack(order + long, after) + rest
    open(path, 'wb').write(out)
page = [(256, 4, [640]), (257, 3, [480]), (258, 3, [8, 8, 8]), (259, 3, [5]), (262, 3, [2]), (277, 3, [3])]
tiff(folder + '/a.tif', '<', False, [page + [(270, 2, 'a harbour'), (33550, 12, [10.0, 10.0, 0.0]), (33922, 12, [0.0, 0.0, 0.0, 500000.0, 6100000.0, 0.0]), (34737, 2, 'WGS 84 / UTM zone 32N|')], page[:1] + [(257, 4, [12])]])
tiff(folder + '/big.tif', '>', True, [page + [(322, 3, [256]), (323, 3, [256]), (339, 3, [3])]])
json.dump({'npz': shapes, 'zip': listed, 'tar': [[name, len(content)] for name, content in members.items()]}, open(folder + '/expected.json', 'w'))
