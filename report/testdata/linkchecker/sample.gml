comment "created by LinkChecker at 2026-11-21 20:07:57+000"
comment "Read the documentation at https://linkchecker.github.io/linkchecker/"
comment "Write comments and bugs to https://github.com/linkchecker/linkchecker/issues"

graph [
  directed 1
  node [
    id     0
    label  "http: 127.0.0.1:8765"
    url  "http://127.0.0.1:8765/"
    dltime 0
    size 337
    checktime 0
    extern 0
  ]
  node [
    id     1
    label  "x?a 1 b 2"
    url  "http://127.0.0.1:9/x?a=1&b=2"
    extern 1
  ]
  node [
    id     2
    label  "b.html"
    url  "http://127.0.0.1:8765/b.html"
    dltime 0
    size 80
    checktime 0
    extern 0
  ]
  node [
    id     3
    label  "sub"
    url  "http://127.0.0.1:8765/sub/"
    dltime 0
    size 44
    checktime 1
    extern 0
  ]
  node [
    id     4
    label  "i.png"
    url  "http://127.0.0.1:8765/i.png"
    size 1
    checktime 1
    extern 0
  ]
  node [
    id     5
    label  "index.html"
    url  "http://127.0.0.1:8765/index.html"
    dltime 0
    size 337
    checktime 1
    extern 0
  ]
  edge [
    label  "port"
    source 0
    target 1
    valid  1
  ]
  edge [
    label  "to B"
    source 0
    target 2
    valid  1
  ]
  edge [
    label  "sub"
    source 0
    target 3
    valid  1
  ]
  edge [
    label  "pic"
    source 0
    target 4
    valid  1
  ]
  edge [
    label  "home"
    source 2
    target 5
    valid  1
  ]
]
comment "Stopped checking at 2026-11-21 20:08:00+000 (3 seconds)"
