# Serves Django's admin on a free port of the loopback interface, with the member alice.
# The arguments are a directory for the database and the password. The first line of the
# output is the port; the server ends with its standard input. A request for /cut/ ends all
# sessions, and one for /posts/ answers how many forms were posted.
import sys, threading, os
from wsgiref.simple_server import make_server, WSGIRequestHandler
import django
from django.conf import settings

directory, password = sys.argv[1:3]
settings.configure(
    DEBUG=False, SECRET_KEY="test", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField", STATIC_URL="/static/",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(directory, "db.sqlite3")}},
    INSTALLED_APPS=["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
                    "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]}}])
django.setup()

from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path

posts = 0


def cut(request):
    Session.objects.all().delete()
    return HttpResponse("done")


urlpatterns = [path("admin/", admin.site.urls), path("cut/", cut), path("posts/", lambda r: HttpResponse(str(posts))),
               path("", lambda r: HttpResponse("<!doctype html><title>Site</title><p>Welcome."))]
call_command("migrate", verbosity=0)
User.objects.create_superuser("alice", "alice@example.com", password)
application = StaticFilesHandler(get_wsgi_application())


def counted(environ, start_response):
    global posts
    posts += environ["REQUEST_METHOD"] == "POST"
    return application(environ, start_response)


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


server = make_server("127.0.0.1", 0, counted, handler_class=Quiet)
print(server.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
