use super::{Server, repository};

fn status(server: &Server, request: &str) -> &'static str {
    let request = request.replace("HOST", &server.address().to_string());
    server.answer(request.as_bytes()).0
}

#[test]
fn serves_names_of_the_table_to_its_own_host_only() {
    let server = Server::bind(0, None).expect("a free port");
    for (request, wanted) in [
        ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n", "200 OK"),
        ("HEAD /main.js HTTP/1.1\r\nhost: HOST\r\n\r\n", "200 OK"),
        ("GET /winter-runtime/winter-runtime.js HTTP/1.1\r\nHost: HOST\r\n\r\n", "200 OK"),
        ("GET /../Cargo.toml HTTP/1.1\r\nHost: HOST\r\n\r\n", "404 Not Found"),
        ("GET /%2e%2e/x HTTP/1.1\r\nHost: HOST\r\n\r\n", "404 Not Found"),
        ("GET //etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n", "404 Not Found"),
        ("POST / HTTP/1.1\r\nHost: HOST\r\n\r\n", "405 Method Not Allowed"),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421 Misdirected Request"),
        ("GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", "421 Misdirected Request"),
        ("GET / HTTP/1.1\r\n\r\n", "421 Misdirected Request"),
        ("GET /\r\n\r\n", "400 Bad Request"),
        ("", "400 Bad Request"),
    ] {
        assert_eq!(status(&server, request), wanted, "{request:?}");
    }
    assert!(server.address().ip().is_loopback());
}

#[test]
fn a_repository_is_read_without_following_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    };
    write(".claude/settings.json", b"{}");
    write("secret.txt", b"not configuration");
    write(".git/config", b"git's own");
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("CLAUDE.md")).expect("a link");
    let document = repository(folder.path()).expect("a repository");
    let expected = serde_json::json!({
        "files": [{"path": ".claude/settings.json", "base64": "e30="}],
        "links": [{"path": "CLAUDE.md", "target": "/etc/passwd"}], "left": [],
    });
    assert_eq!(document, expected);
}
