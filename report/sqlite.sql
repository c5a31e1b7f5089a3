-- The results of a run of orbweaver. Tables and columns have the names of the JSON report;
-- see schema.json. Times are RFC 3339 in UTC, booleans 0 and 1.

PRAGMA application_id = 1869767287;
PRAGMA user_version = 3;

CREATE TABLE run (
  schema TEXT NOT NULL, tool TEXT NOT NULL, version TEXT NOT NULL,
  started TEXT NOT NULL, elapsed_ms INTEGER NOT NULL, complete INTEGER NOT NULL, stopped_by TEXT NOT NULL,
  start_targets TEXT NOT NULL, -- a JSON array, as the user wrote them
  pages INTEGER NOT NULL, targets INTEGER NOT NULL, "references" INTEGER NOT NULL, requests INTEGER NOT NULL,
  ok INTEGER NOT NULL, broken INTEGER NOT NULL, unverified INTEGER NOT NULL, skipped INTEGER NOT NULL, warnings INTEGER NOT NULL,
  clamd TEXT, -- version of the scanner for viruses
  -- number of findings of content checks, which broken, unverified and warnings include; null if no content was checked
  findings_broken INTEGER, findings_unverified INTEGER, findings_warning INTEGER, findings_info INTEGER
);

-- All codes, and those that plugins declared. count is the number of targets with the code,
-- as a verdict or a warning, or the number of findings of content checks with it.
CREATE TABLE codes (
  code TEXT PRIMARY KEY, title TEXT NOT NULL, severity TEXT NOT NULL,
  explanation TEXT NOT NULL, advice TEXT NOT NULL, example TEXT NOT NULL, count INTEGER NOT NULL,
  content_group TEXT -- the group of content checks that gives the code; null for codes of links
) WITHOUT ROWID;

-- Targets, for the view results.
CREATE TABLE result_rows (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL,
  verdict TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
  scope TEXT NOT NULL, -- internal or external
  host TEXT NOT NULL,  -- of the URL, with its port; empty for files
  status INTEGER NOT NULL, attempts INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
  final INTEGER REFERENCES documents, content_type TEXT NOT NULL,
  size INTEGER, -- bytes; null if unknown
  cached INTEGER NOT NULL, -- the target was not requested: the result is from an earlier run
  known TEXT,              -- codes of findings that the baseline has at every place, separated by spaces
  broken_runs INTEGER, broken_since TEXT, -- number of consecutive runs in which it was broken, including this one
  fails_after INTEGER,     -- number of consecutive runs in which it must be broken to fail a run; null once that number is reached
  remapped_from TEXT       -- the URL that --remap replaced by url
);

CREATE TABLE documents (id INTEGER PRIMARY KEY, url TEXT NOT NULL); -- without fragments

-- Targets. --show selects which targets are listed; run counts all of them.
CREATE VIEW results AS
  SELECT result_rows.id, result_rows.url, verdict, code, message, scope, host, status, attempts, elapsed_ms,
    coalesce(documents.url, '') AS final_url, content_type, size, cached, known, broken_runs, broken_since, fails_after, remapped_from
  FROM result_rows LEFT JOIN documents ON documents.id = result_rows.final;

-- refs and edges are views, too, because a site has millions of links. They read these tables, in
-- which each name of a page is stored once, and each URL and each spelling once or a few
-- times.
CREATE TABLE page_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE spellings (
  id INTEGER PRIMARY KEY, element TEXT NOT NULL, attribute TEXT NOT NULL, raw TEXT NOT NULL, text TEXT NOT NULL
);
CREATE TABLE ref_rows (
  result INTEGER NOT NULL REFERENCES result_rows, number INTEGER NOT NULL, -- from 1
  page INTEGER NOT NULL REFERENCES page_names, line INTEGER, column INTEGER, spelling INTEGER NOT NULL REFERENCES spellings,
  PRIMARY KEY (result, number)
) WITHOUT ROWID;
CREATE TABLE ref_notes ( -- of references for which one of these is known
  result INTEGER NOT NULL, number INTEGER NOT NULL, known INTEGER NOT NULL, unaffected TEXT,
  source TEXT, source_line INTEGER, source_column INTEGER, source_raw TEXT, remapped_from TEXT,
  PRIMARY KEY (result, number)
) WITHOUT ROWID;

-- Every place that refers to a target. line and column count from 1; null if unknown.
CREATE VIEW refs AS
  SELECT (ref_rows.result << 28) + ref_rows.number AS id, ref_rows.result,
    page_names.name AS page, ref_rows.line, ref_rows.column, spellings.element, spellings.attribute, spellings.raw, spellings.text,
    coalesce(ref_notes.known, 0) AS known, -- the baseline has the finding here
    ref_notes.unaffected,                  -- codes of warnings that are not about this place, separated by spaces
    ref_notes.source, ref_notes.source_line, ref_notes.source_column, ref_notes.source_raw, -- what the page was generated from
    ref_notes.remapped_from -- the URL of this reference that --remap replaced
  FROM ref_rows JOIN page_names ON page_names.id = ref_rows.page JOIN spellings ON spellings.id = ref_rows.spelling
    LEFT JOIN ref_notes ON ref_notes.result = ref_rows.result AND ref_notes.number = ref_rows.number;

-- What content checks found on pages. --show selects which findings are listed; run counts
-- all of them.
CREATE TABLE findings (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, -- of the page
  verdict TEXT NOT NULL, -- broken, unverified, warning or info
  code TEXT NOT NULL,
  rule TEXT,     -- names the kind of the finding if its code has several
  message TEXT NOT NULL,
  proposal TEXT, -- what to write in place of raw
  scope TEXT NOT NULL, host TEXT NOT NULL,
  line INTEGER, column INTEGER, -- from 1; null if the finding has no place
  element TEXT NOT NULL, attribute TEXT NOT NULL,
  raw TEXT NOT NULL,  -- the source text at fault
  text TEXT NOT NULL, -- an excerpt
  known INTEGER NOT NULL, -- the baseline has the finding
  level TEXT              -- the verdict, if the user set it
);

CREATE TABLE redirects (
  result INTEGER NOT NULL REFERENCES result_rows, hop INTEGER NOT NULL, -- from 1
  url TEXT NOT NULL, status INTEGER NOT NULL,
  PRIMARY KEY (result, hop)
) WITHOUT ROWID;

CREATE TABLE warnings (
  id INTEGER PRIMARY KEY, result INTEGER NOT NULL REFERENCES result_rows,
  code TEXT NOT NULL, message TEXT NOT NULL, proposal TEXT, -- the URL to use instead
  page TEXT -- for a warning about a page itself, and not about links to it: the name of that page in refs
);

CREATE TABLE suggestions (
  result INTEGER NOT NULL REFERENCES result_rows, rank INTEGER NOT NULL, -- the best is 1
  url TEXT NOT NULL, why TEXT NOT NULL,
  PRIMARY KEY (result, rank)
) WITHOUT ROWID;

-- Documents that were read. Empty if the database was made from a saved report.
CREATE TABLE pages (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL,
  depth INTEGER NOT NULL,   -- links from the start
  modified TEXT,            -- Last-Modified
  format TEXT NOT NULL,     -- the format as which it was read
  noindex INTEGER NOT NULL, -- it asks search engines not to index it
  canonical TEXT            -- its canonical URL, if it names one
);

CREATE TABLE edge_urls (id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents, fragment TEXT);
CREATE TABLE edge_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE edge_rows (
  page INTEGER NOT NULL REFERENCES pages, number INTEGER NOT NULL, -- from 1, in document order
  url INTEGER NOT NULL REFERENCES edge_urls, text INTEGER NOT NULL REFERENCES edge_texts,
  PRIMARY KEY (page, number)
) WITHOUT ROWID;

-- Every link of every page, in document order.
CREATE VIEW edges AS
  SELECT (edge_rows.page << 28) + edge_rows.number AS id, edge_rows.page,
    documents.url || coalesce('#' || edge_urls.fragment, '') AS url, -- with its fragment
    edge_texts.text,
    documents.url AS document -- without the fragment
  FROM edge_rows JOIN edge_urls ON edge_urls.id = edge_rows.url JOIN documents ON documents.id = edge_urls.document
    JOIN edge_texts ON edge_texts.id = edge_rows.text;

-- Broken links at each of their places.
CREATE VIEW broken AS
  SELECT page_names.name AS page, ref_rows.line, ref_rows.column, results.url, results.code, codes.title, results.message, spellings.raw, spellings.text,
    (SELECT suggestions.url FROM suggestions WHERE suggestions.result = results.id AND rank = 1) AS suggestion
  FROM result_rows AS results LEFT JOIN ref_rows ON ref_rows.result = results.id LEFT JOIN page_names ON page_names.id = ref_rows.page
    LEFT JOIN spellings ON spellings.id = ref_rows.spelling LEFT JOIN codes USING (code)
  WHERE verdict = 'broken' ORDER BY page_names.name, ref_rows.line, ref_rows.column, results.url;

CREATE VIEW broken_by_page AS
  SELECT page_names.name AS page, count(*) AS links, count(DISTINCT results.id) AS targets
  FROM result_rows AS results JOIN ref_rows ON ref_rows.result = results.id JOIN page_names ON page_names.id = ref_rows.page
  WHERE verdict = 'broken' GROUP BY page_names.id ORDER BY links DESC, page_names.name;

CREATE VIEW broken_by_host AS
  SELECT host, count(DISTINCT results.id) AS targets, count(ref_rows.number) AS links
  FROM result_rows AS results LEFT JOIN ref_rows ON ref_rows.result = results.id
  WHERE verdict = 'broken' GROUP BY host ORDER BY targets DESC, host;

-- Pages with findings of content checks, those with broken findings first.
CREATE VIEW findings_by_page AS
  SELECT url, count(*) AS findings, sum(verdict = 'broken') AS broken, sum(verdict = 'unverified') AS unverified,
    sum(verdict = 'warning') AS warnings, sum(verdict = 'info') AS info
  FROM findings GROUP BY url ORDER BY broken DESC, findings DESC, url;

-- Findings of content checks by kind. page is an example.
CREATE VIEW findings_by_code AS
  SELECT findings.code, findings.rule, codes.title, codes.content_group, findings.verdict,
    count(*) AS findings, count(DISTINCT url) AS pages, min(url) AS page
  FROM findings LEFT JOIN codes USING (code)
  GROUP BY findings.code, findings.rule, findings.verdict ORDER BY findings DESC, findings.code, findings.rule;

CREATE VIEW by_code AS
  SELECT code, title, severity, count FROM codes WHERE count > 0 ORDER BY count DESC, code;

CREATE VIEW by_host AS
  SELECT host, count(*) AS targets, sum(verdict = 'ok') AS ok, sum(verdict = 'broken') AS broken,
    sum(verdict = 'unverified') AS unverified, sum(verdict = 'skipped') AS skipped, sum(attempts) AS requests,
    CAST(avg(elapsed_ms) AS INTEGER) AS average_ms
  FROM result_rows AS results GROUP BY host ORDER BY targets DESC, host;

CREATE VIEW unverified AS
  SELECT results.url, results.code, codes.title, results.message, results.attempts, count(ref_rows.number) AS links
  FROM result_rows AS results LEFT JOIN ref_rows ON ref_rows.result = results.id LEFT JOIN codes USING (code)
  WHERE verdict = 'unverified' GROUP BY results.id ORDER BY results.url;

CREATE VIEW slow AS
  SELECT url, elapsed_ms, attempts, status, size FROM result_rows AS results WHERE elapsed_ms > 0 ORDER BY elapsed_ms DESC, url;

CREATE VIEW large AS
  SELECT url, size, content_type FROM result_rows AS results WHERE size > 0 ORDER BY size DESC, url;

-- Warnings at each of their places. A warning about a page itself is listed once, at that page.
CREATE VIEW warnings_by_page AS
  SELECT coalesce(warnings.page, page_names.name) AS page,
    ref_rows.line, ref_rows.column, warnings.code, results.url, warnings.message, warnings.proposal, spellings.raw
  FROM warnings JOIN result_rows AS results ON results.id = warnings.result
    LEFT JOIN ref_rows ON ref_rows.result = results.id AND warnings.page IS NULL
      AND NOT EXISTS (SELECT 1 FROM ref_notes WHERE ref_notes.result = ref_rows.result AND ref_notes.number = ref_rows.number
        AND instr(' ' || ref_notes.unaffected || ' ', ' ' || warnings.code || ' ') > 0)
    LEFT JOIN page_names ON page_names.id = ref_rows.page LEFT JOIN spellings ON spellings.id = ref_rows.spelling
  ORDER BY 1, ref_rows.line, ref_rows.column, warnings.code, results.url;

-- Replacements for links to pages that moved permanently, and the places of the links.
CREATE VIEW redirects_permanent AS
  SELECT page, line, column, raw, url, proposal FROM warnings_by_page
  WHERE code = 'redirect-permanent' ORDER BY page, line, column, url;

-- Pages that no other page links to: they are from a directory, a sitemap or the command
-- line. Links through redirects count if the report lists all results.
CREATE VIEW orphans AS
  SELECT url, title, depth FROM pages AS orphan
  WHERE NOT EXISTS (SELECT 1 FROM edges WHERE edges.page <> orphan.id AND edges.document IN (orphan.url,
      CASE WHEN orphan.url LIKE '%/index.html' THEN substr(orphan.url, 1, length(orphan.url) - length('index.html')) END,
      CASE WHEN orphan.url LIKE '%.html' THEN substr(orphan.url, 1, length(orphan.url) - length('.html')) END))
    AND NOT EXISTS (SELECT 1 FROM documents JOIN result_rows ON result_rows.final = documents.id JOIN edges ON edges.document = result_rows.url
      WHERE documents.url = orphan.url AND edges.page <> orphan.id)
  ORDER BY url;

CREATE VIEW duplicate_titles AS
  SELECT title, count(*) AS pages, min(url) AS first FROM pages WHERE title <> '' GROUP BY title HAVING count(*) > 1
  ORDER BY pages DESC, title;
