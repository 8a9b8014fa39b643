"""Writes pictures and sound, and tables that hold them as data sets do: in structs, as bytes, and by the names of files."""
import json, os, struct, sys, zlib
import pyarrow as pa, pyarrow.parquet as pq
folder = sys.argv[1]
def png(width, height, colour):
    rows = b''.join(b'\0' + bytes(colour) * width for _ in range(height))
    chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
def wav(samples):
    data = b'\0\0' * samples
    return b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, 1, 8000, 16000, 2, 16) + b'data' + struct.pack('<I', len(data)) + data
colours = [(200, 40, 40), (40, 160, 60), (40, 60, 200), (220, 180, 40)]
pictures = [png(40 + 10 * i, 30, colour) for i, colour in enumerate(colours)]
sizes = [[40 + 10 * i, 30] for i in range(4)]
os.makedirs(folder + '/pictures', exist_ok=True)
for i, content in enumerate(pictures): open('%s/pictures/%d.png' % (folder, i), 'wb').write(content)
open(folder + '/pictures/notes.txt', 'w').write('not a picture')
open(folder + '/tone.wav', 'wb').write(wav(4000))
structs = lambda contents, ending: pa.array([{'bytes': content, 'path': '%d.%s' % (i, ending)} for i, content in enumerate(contents)], pa.struct([('bytes', pa.binary()), ('path', pa.string())]))
pq.write_table(pa.table({
    'label': ['red', 'green', 'blue', 'yellow'],
    'image': structs(pictures, 'png'),
    'audio': structs([wav(800 * (i + 1)) for i in range(4)], 'wav'),
    'raw': pa.array(pictures, pa.binary()),
    'other': pa.array([b'\x00\x01'] * 4, pa.binary()),
    'named': pa.array([{'bytes': None, 'path': 'pictures/%d.png' % i} for i in range(4)], pa.struct([('bytes', pa.binary()), ('path', pa.string())])),
}), folder + '/data.parquet')
open(folder + '/metadata.csv', 'w').write('file_name,address,text\n' + ''.join('pictures/%d.png,srv://lakes/main/tone.wav,pictures/%d.png\n' % (i, i) for i in range(4)))
json.dump(sizes, open(folder + '/expected.json', 'w'))
