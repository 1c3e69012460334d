import { expect, test } from "vitest";
import { jsonFields } from "./json";

test.each([
  ['{"id":12345678901234567890}', [{ name: "id", text: "12345678901234567890" }]],
  [
    '{ "a" : "1\\n\\u0032\\"" , "b" : [ 1.0 , { } ] , "c" : null }',
    [
      { name: "a", text: '1\n2"' },
      { name: "b", text: "[1.0,{}]" },
      { name: "c", text: "null" },
    ],
  ],
  [
    '{"a,}":{"b":{"c":[1,2]}},"__proto__":1}',
    [
      { name: "a,}", text: '{"b":{"c":[1,2]}}' },
      { name: "__proto__", text: "1" },
    ],
  ],
  ["{}", []],
  ["null", []],
  ['""', []],
  ["", []],
  ['"no {JSON}"', [{ name: undefined, text: "no {JSON}" }]],
  ["[18446744073709551616]", [{ name: undefined, text: "[18446744073709551616]" }]],
])("%s", (json, fields) => {
  expect(jsonFields(json)).toEqual(fields);
});

test("a long value has its lines as JSON has them, and its numbers as they came", () => {
  const value = {
    ids: Array.from({ length: 20 }, (_, at) => at),
    none: {},
    nothing: [],
    "a: b": { c: ["d,e"] },
  };
  const json = JSON.stringify({ value }).replace("19", "12345678901234567890");
  const [field] = jsonFields(json);
  expect(field?.text).toBe(JSON.stringify(value, undefined, 2).replace("19", "12345678901234567890"));
});
