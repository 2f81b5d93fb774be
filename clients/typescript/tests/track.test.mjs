import assert from "node:assert/strict";
import { test } from "node:test";
import { Track } from "../track.js";

test("a track is on the line between two samples", () => {
  const track = new Track();
  assert.equal(track.at(5), undefined);
  track.add(10, [0, 4]);
  track.add(14, [8, 0]);
  // A late sample.
  track.add(12, [2, 4]);
  assert.deepEqual(track.at(9), [0, 4]);
  assert.deepEqual(track.at(11), [1, 4]);
  assert.deepEqual(track.at(13), [5, 2]);
  assert.deepEqual(track.at(99), [8, 0]);
});

test("a rest is not stretched into a slow movement", () => {
  const track = new Track(1);
  track.add(10, [0]);
  track.add(20, [4]);
  track.add(21, [6]);
  assert.deepEqual([15, 19, 19.5, 20, 20.5].map((tick) => track.at(tick)), [[0], [0], [2], [4], [5]]);
});

test("a track has a limit", () => {
  const track = new Track();
  for (let tick = 1; tick <= 1000; tick++) track.add(tick, [tick]);
  assert.deepEqual(track.at(0), [937]);
});

test("a value jumps over a distance that is no movement", () => {
  const track = new Track(1, undefined, 5);
  for (const [tick, value] of [[10, [0, 0]], [11, [3, 4]], [12, [9, 4]]]) track.add(tick, value);
  assert.deepEqual([10.5, 11.5, 12].map((tick) => track.at(tick)), [[1.5, 2], [3, 4], [9, 4]]);
});

test("a value that was drawn at rest for want of samples is caught up without a jump", () => {
  const lossy = { restedUntil: (tick) => tick };
  const track = new Track(1, lossy);
  track.add(1, [0]);
  const drawn = [1, 2, 3].map((tick) => track.at(tick)[0]);
  assert.deepEqual(drawn, [0, 0, 0]);
  // The samples of ticks 2 and 3 are lost.
  track.add(4, [0.6]);
  track.add(5, [0.8]);
  let last = 0;
  for (let tick = 3.5; tick <= 20; tick += 0.5) {
    if (tick % 1) track.add(Math.ceil(tick) + 2, [0.2 * (Math.ceil(tick) + 1)]);
    const [value] = track.at(tick);
    assert.ok(value >= last && value - last < 0.2, `${value - last} at ${tick}`);
    last = value;
  }
  assert.ok(Math.abs(last - 0.2 * 19) < 0.02, `${last}`);
  const jumps = new Track(1, lossy, 0.3);
  jumps.add(1, [0]);
  jumps.at(3);
  jumps.add(2, [5]);
  assert.deepEqual(jumps.at(3), [5]);
});
