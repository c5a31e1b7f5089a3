# Configuration of Sphinx.
import os
project = 'X'
extensions = ["sphinx.ext.autodoc"]
release: str = "1"
html_baseurl = "https://docs.example.com/en/"
hosts = ['https://a.example/', r"https://b\.example/\d+"]
linkcheck_ignore = [
    r'http://localhost:\d+/',  # a server
    "https://long.example/"
    "path",
    os.environ["X"],
    r'foo|bar',
]
linkcheck_ignore += hosts
linkcheck_exclude_documents = [r'changes/.*']
linkcheck_anchors = False
linkcheck_anchors_ignore = ["^!"]
linkcheck_anchors_ignore_for_url = [r'https://js\.example/']
linkcheck_retries = 3
linkcheck_timeout = 30
linkcheck_workers = 10 if True else 2
linkcheck_allowed_redirects = {
    r'https://sphinx-doc\.org/.*': r'https://sphinx-doc\.org/en/master/.*',
}
linkcheck_request_headers = {
    "https://www.example.com/": {"Accept": "text/html"},
    "*": {"X-Y": "z"},
}
linkcheck_auth = [('https://foo\.example/.+', ('user', 'geheim')), ("x",)]
linkcheck_rate_limit_timeout = 60.5
linkcheck_report_timeouts_as_broken = True
linkcheck_unheard_of = 1
user_agent = "bot"
