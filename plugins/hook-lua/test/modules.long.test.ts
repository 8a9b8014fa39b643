/** Modules that need nothing but the script's own thread. */
import { testScripts } from './cases.js';

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
const json = 'local json = require("encoding/json") ';
const yaml = 'local yaml = require("encoding/yaml") ';

testScripts('encoding/json', [
  [`${json} print(json.marshal({b = 1, a = "x", c = true}))`, '{"a":"x","b":1,"c":true}\n'],
  [`${json} print(json.marshal(array({1, 2.5, "x"})), json.marshal(array({})), json.marshal({}))`, '[1,2.5,"x"]\n\t[]\n\t{}\n'],
  [`${json} print(json.marshal(nil), json.marshal("s"), json.marshal(10 / 2))`, 'null\n\t"s"\n\t5\n'],
  [`${json} print(json.marshal("<a&b>"))`, '"\\u003ca\\u0026b\\u003e"\n'],
  [`${json} print(json.marshal({a = array({1})}, {indent = "  "}))`, '{\n  "a": [\n    1\n  ]\n}\n'],
  [`${json} print(json.marshal({a = 1}, {prefix = "> ", indent = " "}))`, '{\n>  "a": 1\n> }\n'],
  [
    `${json} local t = json.unmarshal('{"a":[1,2,{"b":null}],"c":"\\\\u00e9","d":1e3}') print(#t.a, t.a[3].b, t.c, t.d)`,
    `3\tnil\t${utf8('é')}\t1000`,
  ],
  [`${json} print(json.marshal(json.unmarshal('{"z":[],"a":{}}')))`, '{"a":{},"z":[]}\n'],
  [`${json} print(json.unmarshal('"x"'), json.unmarshal("12"), json.unmarshal("null"), json.unmarshal("true"))`, 'x\t12\tnil\ttrue'],
  [
    `${json} print(pcall(json.marshal, {1, 2}))`,
    "false\tinvalid key to 'next': a table with keys that are not strings cannot be passed; mark a list with array(t)",
  ],
  [
    `${json} print(pcall(json.marshal, {[true] = 1}) == false, pcall(json.marshal, print) == false, pcall(json.marshal, 0/0) == false)`,
    'true\ttrue\ttrue',
  ],
  [`${json} print(json.unmarshal('{"__proto__":{"x":1}}').__proto__.x, json.marshal({__proto__ = 1}))`, '1\t{"__proto__":1}\n'],
  [`${json} print(#json.unmarshal('"' .. ("x"):rep(100000) .. '"'))`, '100000'],
  [`${json} json.unmarshal(("["):rep(5000) .. ("]"):rep(5000))`, /more than 100 levels/],
  [`${json} print(json.marshal("a\\0b\\tc"))`, '"a\\u0000b\\tc"\n'],
]);

testScripts('encoding/yaml', [
  [`${yaml} local t = yaml.unmarshal("name: zoo\\non: [a, b]\\nn: 010\\nyes: yes") print(t.name, t.on[2], t.n, t.yes)`, 'zoo\tb\t10\tyes'],
  [`${yaml} print(yaml.marshal({a = array({1, "x"}), b = {c = true}}))`, 'a:\n  - 1\n  - x\nb:\n  c: true\n'],
  [`${yaml} yaml.unmarshal("a: [")`, /not YAML/],
  [`${yaml} yaml.unmarshal("a: 1\\na: 2")`, /not YAML: Map keys must be unique/],
  [
    `${yaml} yaml.unmarshal("a: &a [x,x,x,x,x,x,x,x,x]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]")`,
    /not YAML: Excessive alias count/,
  ],
]);

testScripts('encoding/hex, base64, z85enc', [
  ['local h = require("encoding/hex") print(h.encode("\\0\\255k"), h.decode("6869"), h.decode("") == "")', '00ff6b\thi\ttrue'],
  ['require("encoding/hex").decode("abc")', /odd length/],
  ['require("encoding/hex").decode("zz")', /invalid byte/],
  [
    'local b = require("encoding/base64") print(b.encode("\\251\\255a"), b.decode("+/9h") == "\\251\\255a", b.encode("a"))',
    '+/9h\ttrue\tYQ==',
  ],
  ['local b = require("encoding/base64") print(b.url_encode("\\251\\255"), b.url_decode("-_8") == "\\251\\255")', '-_8\ttrue'],
  ['require("encoding/base64").decode("YQ")', /illegal base64/],
  ['require("encoding/base64").url_decode("YQ==")', /illegal base64/],
  ['require("encoding/z85enc").decode_uuid("~" .. ("a"):rep(19))', /"~" is not a digit of it/],
  ['print(require("encoding/z85enc").decode_uuid("prefixHelloWorldHelloWorld"))', '864fd26f-b559-f75b-864f-d26fb559f75b\tprefix'],
  ['require("encoding/z85enc").decode_uuid("short")', /shorter than 20/],
]);

testScripts('crypto and uuid', [
  [
    'print(require("encoding/hex").encode(require("crypto/sha256").digest("abc")))',
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  ],
  ['print(#require("crypto/sha256").digest("\\0\\255"))', '32'],
  ['print(require("crypto/md5").digest("abc"))', '900150983cd24fb0d6963f7d28e17f72'],
  [
    'print(require("encoding/hex").encode(require("crypto/hmac").sign_sha256("The quick brown fox jumps over the lazy dog", "key")))',
    'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
  ],
  [
    'print(require("encoding/hex").encode(require("crypto/hmac").sign_sha1("The quick brown fox jumps over the lazy dog", "key")))',
    'de7c9b85b8b78aa6bc8a7a36f70a90701c9db4d9',
  ],
  [
    'local aes, k = require("crypto/aes"), ("k"):rep(32) local c = aes.encryptCBC(k, "a\\0b") print(#c, aes.decryptCBC(k, c) == "a\\0b")',
    '32\ttrue',
  ],
  [
    'local aes, k = require("crypto/aes"), ("k"):rep(16) print(aes.encryptCBC(k, "x") ~= aes.encryptCBC(k, "x"), #aes.encryptCBC(k, ("x"):rep(16)))',
    'true\t48',
  ],
  ['require("crypto/aes").encryptCBC("short", "x")', /invalid key size 5/],
  ['require("crypto/aes").decryptCBC(("k"):rep(16), "x")', /not a multiple of the block size/],
  [
    'local aes = require("crypto/aes") aes.decryptCBC(("j"):rep(16), aes.encryptCBC(("k"):rep(16), "x"):sub(1, 31) .. "\\0")',
    /not encrypted with this key/,
  ],
  [
    'local u = require("uuid").new() print(#u, u:match("^%x+%-%x+%-4%x+%-[89ab]%x+%-%x+$") == u, u ~= require("uuid").new())',
    '36\ttrue\ttrue',
  ],
]);

testScripts('strings and path', [
  ['local s = require("strings").split("a,b,,c", ",") print(#s, s[1], s[3] == "", s[4])', '4\ta\ttrue\tc'],
  ['local s = require("strings").split("äb", "") print(#s, s[1], s[2])', `2\t${utf8('ä')}\tb`],
  ['local s = require("strings").split("abc", "x") print(#s, s[1], #require("strings").split("", ","))', '1\tabc\t1'],
  ['print("[" .. require("strings").trim(" \\t\\n x y \\r\\n") .. "]")', '[x y]'],
  [
    'local s = require("strings") print(s.replace("aaa", "a", "b", 2), s.replace("aaa", "a", "b", -1), s.replace("aaa", "a", "b", 0))',
    'bba\tbbb\taaa',
  ],
  ['print(require("strings").replace("ab", "", "-", -1), require("strings").replace("ab", "", "-", 1))', '-a-b-\t-ab'],
  [
    'local s = require("strings") print(s.has_prefix("abc", "ab"), s.has_suffix("abc", "bc"), s.contains("abc", "z"), s.contains("abc", ""))',
    'true\ttrue\tfalse\ttrue',
  ],
  ['local s = require("strings") print(s.split("a\\0b", "\\0")[2], s.has_suffix("x\\255", "\\255"))', 'b\ttrue'],
  ['require("strings").split(nil, ",")', /bad argument #1 \(string expected, got nil\)/],
  ['print(require("strings").split(12, "")[2])', '2'],
  ['local p = require("path").parse("a/b/c.txt") print(p.parent, p.base_name)', 'a/b/\tc.txt'],
  ['local p = require("path") print(p.parse("c").parent == "", p.parse("a/b/").base_name, p.parse("a|b", "|").parent)', 'true\tb\ta|'],
  [
    'local p = require("path") local a, b = p.parse("/a/b/"), p.parse("/") print(a.parent, a.base_name, b.parent == "", b.base_name == "")',
    '/a/\tb\ttrue\ttrue',
  ],
  ['local p = require("path") print(p.join("", "a"), p.join("", "a", "b/", "/c"), p.join("/") == "")', 'a\tab//c\ttrue'],
  ['print(require("path").join("/", "a", "b/", "/c", "d"), require("path").join("/", "s3://x/", "y"))', 'a/b/c/d\ts3://x/y'],
  [
    'local p = require("path") print(p.is_hidden("a/_b/c"), p.is_hidden("a/b"), p.is_hidden("a|.b", "|", "."), p.is_hidden("_x"))',
    'true\tfalse\ttrue\ttrue',
  ],
  ['local p = require("path") print(p.default_separator(), p.extract_dir_name("a/b/c"), p.extract_dir_name("c") == "")', '/\ta/b\ttrue'],
]);

testScripts('regexp', [
  [
    'local r = require("regexp") print(r.match("^[a-z]+[0-9]{2}$", "abc12"), r.match("b", "abc"), r.match("^b", "abc"))',
    'true\ttrue\tfalse',
  ],
  ['print(require("regexp").match("(?i)HELLO", "well hello"), require("regexp").match("\\\\pL+\\\\z", "é"))', 'true\ttrue'],
  ['print(require("regexp").quote_meta("a.b*[c]"))', 'a\\.b\\*\\[c\\]'],
  [
    'local c = require("regexp").compile("(a)(b)?") print(c.find("xab"), table.concat(c.find_submatch("xac"), ","), c.find("z") == "", #c.find_submatch("z"))',
    'ab\ta,a,\ttrue\t0',
  ],
  [
    'local c = require("regexp").compile("a.") print(table.concat(c.find_all("abacad", -1), " "), #c.find_all("abacad", 2), #c.find_all("z", -1))',
    'ab ac ad\t2\t0',
  ],
  [
    'local all = require("regexp").compile("(\\\\w)=(\\\\d)").find_all_submatch("a=1 b=2", -1) print(#all, all[2][2], all[2][3])',
    '2\tb\t2',
  ],
  ['require("regexp").match("(", "x")', /missing closing/],
  ['require("regexp").compile("a(?=b)")', /invalid/],
  ['print(require("regexp").match("^(a+)+$", ("a"):rep(30) .. "b"))', 'false'],
  ['print(require("regexp").match("^(?P<y>\\\\d{4})-", "2024-"))', 'true'],
]);

testScripts('net/url', [
  [
    'local u = require("net/url").parse("https://user@h.example:8080/a%20b/c?x=1&y=2#f") print(u.scheme, u.host, u.path, u.query, u.fragment)',
    'https\th.example:8080\t/a b/c\tx=1&y=2\tf',
  ],
  [
    'local u = require("net/url").parse("s3://bucket/some/key") print(u.scheme, u.host, u.path, u.query == "")',
    's3\tbucket\t/some/key\ttrue',
  ],
  ['print(require("net/url").query_unescape("a%2Fb+c"), require("net/url").path_escape("a b/c?d+e"))', 'a/b c\ta%20b%2Fc%3Fd+e'],
  ['print(require("net/url").path_escape("é\\255"))', '%C3%A9%FF'],
  ['require("net/url").query_unescape("%zz")', /invalid URL escape "%zz"/],
  [
    'local b = require("net/url").build_url print(b("https", "h", "/p", "q=1", "f"), b("https", "h"), b("s3", "b", "k"))',
    'https://h/p?q=1#f\thttps://h\ts3://b/k',
  ],
  ['require("net/url").parse("http://a\\nb")', /invalid control character/],
]);

testScripts('time', [
  [
    'local t = require("time") print(t.format_iso(0), t.format_iso(1704067200e9, "America/New_York"))',
    '1970-01-01T00:00:00+00:00\t2023-12-31T19:00:00-05:00',
  ],
  ['print(require("time").format(1704164645.5e9, "Mon Jan _2 15:04:05.000 2006", "UTC"))', 'Tue Jan  2 03:04:05.500 2024'],
  ['print(require("time").format(1704164645e9, "Monday, 02-Jan-06 3:04PM MST", "Europe/Berlin"))', 'Tuesday, 02-Jan-24 4:04AM CET'],
  ['print(require("time").format(1704164645e9, "20060102 002 Z07:00 .999", "UTC"))', '20240102 002 Z '],
  ['local t = require("time") print(t.parse_iso("2024-01-02T03:04:05+02:00") == 1704157445e9)', 'true'],
  [
    'local t = require("time") print(t.parse("2006-01-02", "2024-02-29") == 1709164800e9, t.parse("Jan 2, 2006 at 3:04pm (MST)", "Feb 3, 2013 at 7:54pm (PST)") == 1359921240e9)',
    'true\ttrue',
  ],
  ['local t = require("time") print(t.parse("2006-01-02T15:04:05Z07:00", "2024-01-01T00:00:00.5Z") - 1704067200e9)', '500000000'],
  ['require("time").parse("2006-01-02", "2023-02-29")', /day out of range/],
  ['require("time").parse("2006-01-02", "yesterday")', /does not follow the layout/],
  ['require("time").format(0, "2006", "Nowhere/City")', /unknown time zone Nowhere\/City/],
  ['local t = require("time") local n = t.now() t.sleep(3e6) print(t.since(n) >= 3e6, t.now() > 1.6e18)', 'true\ttrue'],
  ['local t = require("time") print(t.add(0, {hour = 1, minute = 1, second = 1}) == 3661e9, t.add(5, {}) == 5)', 'true\ttrue'],
]);

testScripts('azure addresses', [
  [
    'print(require("azure").abfss_transform_path("https://acc.blob.core.windows.net/cont/a/b"))',
    'abfss://cont@acc.dfs.core.windows.net/a/b',
  ],
  ['require("azure").abfss_transform_path("s3://x/y")', /expected valid Azure https URL: s3:\/\/x\/y/],
]);
