-- How a person wants to be told. `quiet`: JSON {from, to}, or null for none; `ask`: auto, page or the id of a place.
CREATE TABLE person_settings(
  subject TEXT NOT NULL PRIMARY KEY, zone TEXT, quiet TEXT CHECK(json_valid(quiet)), ask TEXT NOT NULL
) STRICT, WITHOUT ROWID;
