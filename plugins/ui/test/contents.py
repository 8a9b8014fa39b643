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
json.dump({'zip': listed, 'tar': [[name, len(content)] for name, content in members.items()]}, open(folder + '/expected.json', 'w'))
